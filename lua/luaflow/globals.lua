-- Catches handlers that write to a new global: a value of one task that all tasks of the executor would share.
local globals = {}

-- What a module sets while it loads is not the handler's, even if the handler requires it.
local function is_loading(require_function)
  local level = 3
  while true do
    local info = debug.getinfo(level, "f")
    if not info then return false end
    if info.func == require_function then return true end
    level = level + 1
  end
end

--- Watches a table of globals from now on. A write to one that does not exist is an error under `luaflow dev`;
--- elsewhere it happens and is reported, each name once. Globals that a module watches by a metatable of its own stay
--- as they are.
---@param environment table
---@param host table the host's table: `development` says which of the two
function globals.guard(environment, host)
  if getmetatable(environment) ~= nil then return end
  local require_function = environment.require
  setmetatable(environment, {
    __newindex = function(t, name, value)
      if not is_loading(require_function) then
        local what = ("a handler sets the new global %s: make it local"):format(tostring(name))
        if host.development then error(what, 2) end
        host.log("warn", what)
      end
      rawset(t, name, value)
    end,
  })
end

return globals
