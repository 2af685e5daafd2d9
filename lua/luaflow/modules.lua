-- Follows the modules of a root while they load: under which name a file is required, which file requires which, and how
-- each load ended. Pure: the files, `require` and the table of globals are given.
local lua_errors = require "luaflow.lua_errors"
local nearest = require "luaflow.nearest"

local modules = {}

-- Processor time that a module may take to load, without those that it requires; looked at every so many instructions.
local MAX_SECONDS, INSTRUCTIONS = 3, 1e6

local TEMPLATES = { "%s.lua", "%s/init.lua", "lua/%s.lua", "lua/%s/init.lua" }

---@class luaflow.Modules
---@field files table<string, any> the paths of the root's files
---@field loaded table<string, any> path -> what the module returned
---@field failed table<string, { raised: any }> path -> what its load raised
---@field required table<string, boolean> path -> another file required it
---@field silent table<string, boolean> path -> it returned nothing; `require` gives true for it
---@field private loading string[] the files that are loading, innermost last
---@field private names string[] the modules that they are
---@field private began number the processor's clock when the innermost module began to load
---@field private on_loaded fun(path: string, value: any)
---@field private on_loading fun(name: string, path: string)
---@field private root string?
---@field private original function
local Modules = {}
Modules.__index = Modules

--- Nothing loaded yet.
---@param files table<string, any> the paths of the root's files
---@param root string? the folder that holds them, for messages
---@param original function what `require` is
---@param on_loaded fun(path: string, value: any) called once for each file, those that it requires first
---@param on_loading? fun(name: string, path: string) called whenever the load of a file begins or goes on
---@return luaflow.Modules
function modules.new(files, root, original, on_loaded, on_loading)
  return setmetatable({
    files = files, root = root, original = original, on_loaded = on_loaded, on_loading = on_loading or function() end,
    loaded = {}, failed = {}, required = {}, silent = {}, loading = {}, names = {}, began = 0,
  }, Modules)
end

-- luaflow's own modules come from the executable and never from the root.
local function is_own(name)
  return name:find "^luaflow%f[.%z]" ~= nil
end

--- The file that a required name stands for; nil when it is none of the root's.
---@param name any
---@return string?
function Modules:path_of(name)
  if type(name) ~= "string" then return nil end
  for _, template in ipairs(TEMPLATES) do
    local path = template:format((name:gsub("%.", "/")))
    if self.files[path] then return path end
  end
end

--- The dotted name under which a file is required, the shortest where there are several; nil when there is none.
---@param path string
---@return string?
function Modules:name_of(path)
  for _, form in ipairs { "^lua/(.+)/init%.lua$", "^lua/(.+)%.lua$", "^(.+)/init%.lua$", "^(.+)%.lua$" } do
    local stem = path:match(form)
    local name = stem and not stem:find("%.") and stem:gsub("/", ".")
    if name and not is_own(name) and self:path_of(name) == path then return name end
  end
end

local function is_in(list, value)
  for _, element in ipairs(list) do
    if element == value then return true end
  end
  return false
end

-- "file:line: " of the code that called `require`; line 0 when a tail call left no frame.
function Modules:caller()
  local info = debug.getinfo(3, "Sl")
  if info and info.currentline > 0 then return ("%s:%d: "):format(info.short_src, info.currentline) end
  local innermost = self.loading[#self.loading]
  return innermost and innermost .. ":0: " or ""
end

-- What is said of a module that is missing.
function Modules:missing_message(name, caller)
  local known = {}
  for path in pairs(self.files) do known[#known + 1] = self:name_of(path) end
  table.sort(known)
  local hint = nearest.hint(name, known) or lua_errors.remedy_of_missing(name) .. "; if this is not the folder of the project, "
    .. "give it with --root DIR, or put an empty file .luaflow-root into it"
  return ("%smodule '%s' not found below the root%s, in its folders lua and lua_modules, or in LUA_PATH (%s)"):format(
    caller, name, self.root and " " .. self.root or "", hint)
end

-- A message of `require` itself that the module is missing, with the place and without the list of places searched.
function Modules:explain(raised, caller)
  local name = type(raised) == "string" and raised:match "^module '([^']*)' not found:"
  return name and self:missing_message(name, caller) or raised
end

-- Is there a module of that name? It is looked for as `require` does, and not run.
function Modules:exists(name)
  if package.loaded[name] ~= nil or self:path_of(name) then return true end
  for _, find in ipairs(package.loaders) do
    local ok, found = pcall(find, name)
    if not ok or type(found) == "function" then return true end
  end
  return false
end

function Modules:load(name, path, caller)
  self.loading[#self.loading + 1], self.names[#self.names + 1] = path, name
  self.on_loading(name, path)
  local outer = os.clock() - self.began
  self.began = os.clock()
  local ok, value = pcall(self.original, name)
  self.began = os.clock() - outer
  self.loading[#self.loading], self.names[#self.names] = nil, nil
  if self.loading[1] then self.on_loading(self.names[#self.names], self.loading[#self.loading]) end
  if ok then
    if self.loaded[path] == nil then
      self.loaded[path] = value
      self.on_loaded(path, value)
    end
    return value
  end
  value = self:explain(value, caller)
  self.failed[path] = { raised = value }
  error(value, 0)
end

-- What `require` is while modules load.
function Modules:require(name, caller)
  local path = self:path_of(name)
  if not path or is_own(name) then
    local ok, value = pcall(self.original, name)
    if ok then return value end
    error(self:explain(value, caller), 0)
  end
  if self.loading[1] and self.loading[#self.loading] ~= path then self.required[path] = true end
  if is_in(self.loading, path) then
    error(("%smodule '%s' requires itself: %s"):format(
      caller, name, table.concat(self.loading, " -> ") .. " -> " .. path), 0)
  end
  if self.failed[path] then error(self.failed[path].raised, 0) end
  return self:load(name, path, caller)
end

--- The file that is loading, the innermost; nil when none is.
---@return string?
function Modules:current()
  return self.loading[#self.loading]
end

-- Raises at the line that a module has come to once it has taken too long. Compiled code calls no hook, so that nothing is compiled
-- meanwhile. Returns what ends that.
function Modules:limit_time()
  local compiles = jit.status()
  jit.off()
  debug.sethook(function()
    if os.clock() - self.began < MAX_SECONDS then return end
    error(("the module is still loading after %d s of processor time: is this a loop without an end?"):format(MAX_SECONDS), 2)
  end, "", INSTRUCTIONS)
  return function()
    debug.sethook()
    if compiles then jit.on() end
  end
end

-- The loader of a module that notes whether it returns something. Under pcall, as `find` below: it is no place for a message,
-- as `require` is none.
function Modules:noting(name, load)
  return function(...)
    local ok, value = pcall(load, ...)
    if not ok then error(value, 0) end
    local path = value == nil and self:path_of(name)
    if path then self.silent[path] = true end
    return value
  end
end

-- Notes what modules return, which `require` does not tell. Changes the list in place: modules may add to it. Returns what ends that.
function Modules:watch_returns(loaders)
  local originals = {}
  for i, find in ipairs(loaders) do
    loaders[i] = function(name)
      local ok, found = pcall(find, name)
      if not ok then error(found, 0) end
      return type(found) == "function" and self:noting(name, found) or found
    end
    originals[loaders[i]] = find
  end
  return function()
    for i, find in ipairs(loaders) do loaders[i] = originals[find] or find end
  end
end

--- Requires every one of these files; how each ended is in `loaded` and `failed`.
---@param paths string[] files that have a name
---@param globals table where `require` is replaced meanwhile
function Modules:require_all(paths, globals)
  local before = globals.require
  globals.require = function(name)
    local value = self:require(name, self:caller())
    return value
  end
  local unlimited, unwatched = self:limit_time(), self:watch_returns(package.loaders)
  for _, path in ipairs(paths) do pcall(self.require, self, self:name_of(path), "") end
  unwatched()
  unlimited()
  globals.require = before
end

return modules
