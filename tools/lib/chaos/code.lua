-- The file that the workers load: the built-in flow in two versions under one alias, in a revision of its handlers; and what a bad save
-- makes of it.
local files = require "spec.support.files"

local code = {}

--- The file, below the root.
code.PATH = "flows/chaos.lua"

code.TIMEOUT = 20 -- seconds, of every attempt

--- The flow whose runs are culprits, see tools/lib/chaos/culprits.lua.
code.CULPRIT = "chaos_culprit"

--- Where the transactional step writes: a row for each task, without a key, so that what was written twice shows.
code.TABLE = "create table public.chaos_kept (run_id uuid not null, task_index int not null)"

-- Every execution of a handler is a line in a file: run, step, index, attempt, worker, whether it is made to fail, time of the claim,
-- version, revision. The versions have the same steps but for the last one.
local FLOWS = [[
local ffi = require "ffi"
local luaflow = require "luaflow"
local TIMEOUT, REVISION = %d, %d
pcall(ffi.cdef, "int getpid(void); int timer_create(int, const int *, void **); int timer_settime(void *, int, const long *, void *);")

local function note(ctx, slug, fails)
  local file = assert(io.open(ctx.env.CHAOS_EXECUTIONS, "a"))
  file:setvbuf("full") -- one write
  file:write(("%%s %%s %%d %%d %%s %%d %%.3f %%s %%d\n"):format(ctx.run_id, ctx.step_slug, ctx.task_index, ctx.attempt,
    ctx.env.CHAOS_WORKER, fails and 1 or 0, ctx.deadline - TIMEOUT, slug, REVISION))
  file:close()
end

-- A connection that a fault broke, and a database that is read-only, cost no attempt.
local function query(on, ...)
  local ok, answer = pcall(on.query, on, ...)
  if ok then return answer end
  if answer.kind == "connection" or answer.sqlstate == "25006" then luaflow.snooze(1, answer.message) end
  error(answer, 0)
end

local function sum(slug, factor)
  return function(deps, ctx)
    note(ctx, slug)
    local total = 0
    for _, n in ipairs(deps.keep) do total = total + n end
    return factor * total
  end
end

local function steps(slug)
  return luaflow.flow { slug = slug, max_attempts = 30, base_delay = 0, timeout = TIMEOUT }
    :array({ slug = "list" }, function(n, ctx)
      note(ctx, slug)
      local numbers = {}
      for i = 1, 12 do numbers[i] = n + i end
      return numbers
    end)
    :map({ slug = "each", array = "list" }, function(n, ctx)
      local fails = n %% 13 == 0 and ctx.attempt == 1
      note(ctx, slug, fails)
      ctx:sleep(n %% 101 == 0 and 2 or n %% 7 / 10)
      if fails then error "once" end
      return n %% 5 == 0 and query(ctx, "select $1::int * 2 as twice", n)[1].twice or n * 2
    end)
    :map({ slug = "keep", array = "each", transaction = true }, function(n, ctx)
      local fails = n %% 34 == 0 and ctx.attempt == 1
      note(ctx, slug, fails)
      query(ctx.tx, "insert into public.chaos_kept values ($1, $2)", ctx.run_id, ctx.task_index)
      if n %% 10 == 0 then ctx:sleep(0.1) end
      if fails then error "once" end
      return n
    end)
end

-- Ends its own executor while it is suspended, with whatever runs beside it. The time of the claim is noted for the verdict.
local function die(how, ctx)
  if type(how) ~= "string" then error "an oversized input has arrived" end
  local file = assert(io.open(ctx.env.CHAOS_EXECUTIONS .. ".deaths", "a"))
  file:setvbuf("full")
  file:write(("%%s %%.3f\n"):format(ctx.env.CHAOS_WORKER, ctx.deadline - TIMEOUT))
  file:close()
  if how == "alarm" then
    local timer = ffi.new "void *[1]"
    assert(ffi.C.timer_create(1, ffi.new("int[16]", { 0, 0, 14 }), timer) == 0) -- SIGALRM
    assert(ffi.C.timer_settime(timer[0], 0, ffi.new("long[4]", { 0, 0, 1, 0 }), nil) == 0)
  else
    os.execute(("(sleep 1; kill -9 %%d) >/dev/null 2>&1 &"):format(ffi.C.getpid()))
  end
  ctx:sleep(6)
  return "still alive"
end

local culprit = luaflow.deploy(
  luaflow.flow { slug = "chaos_culprit", max_attempts = 2, base_delay = 0, timeout = TIMEOUT }:step({ slug = "die" }, die),
  { alias = "chaos_culprit", routes = { die = "chaos" } })

local function deploy(flow) return luaflow.deploy(flow, { alias = "chaos", routes = {
  list = "chaos", each = "chaos", keep = "chaos", [flow.slug == "chaos_v1" and "sum" or "twice"] = "chaos",
} }) end

local v1 = deploy(steps "chaos_v1":step({ slug = "sum", depends_on = { "keep" } }, sum("chaos_v1", 1)))
local v2 = deploy(steps "chaos_v2":step({ slug = "twice", depends_on = { "keep" } }, sum("chaos_v2", 2)))

return luaflow.worker { queue = "chaos", flows = { %s, culprit } }
]]

--- The output of a run, as SQL.
code.EXPECTED = [[
  case r.flow_slug when 'chaos_v1' then jsonb_build_object('sum', 24 * r.input::int + 156)
    when 'chaos_v2' then jsonb_build_object('twice', 48 * r.input::int + 312) end]]

--- Steps as no refused file may have left them, as SQL.
code.FOREIGN = [[
  select count(*) from pgflow.steps s
  where s.flow_slug not in ('chaos_v1', 'chaos_v2', 'chaos_culprit') or s.queue_name <> 'chaos' or s.when_exhausted <> 'fail']]

local function replace(from, to)
  return function(text)
    local changed, count = text:gsub(from, to)
    assert(count == 1, from)
    return changed
  end
end

-- What must be refused: by the load, or by the deployment.
local DEFECTS = {
  { "does not compile", replace("return luaflow.worker", "end return luaflow.worker") },
  { "raises half-way", replace("return luaflow.worker", "error 'half-way' return luaflow.worker") },
  { "has another shape", replace('slug = "list" }', 'slug = "list", when_exhausted = "skip" }') },
  { "has another route", replace('keep = "chaos"', 'keep = "chaos_other"') },
  { "lacks both versions", replace("local v1 = deploy.-flows = {[^}]*}", 'return luaflow.worker { queue = "chaos", flows = { culprit, '
    .. 'luaflow.deploy(luaflow.flow { slug = "other" }:step({ slug = "only" }, print), { routes = { only = "chaos" } }) }') },
}

---@class chaos.Code
---@field root spec.Root
---@field active integer the version that the alias is to have, 1 or 2
---@field revision integer of the handlers, from 1; a bad file has it negative, so that handlers that must not run can be told
---@field defect string? what is wrong with the file that is there now
---@field bad_till number? when the last bad file went
local methods = {}
methods.__index = methods

local function flows(active) return active == 1 and "v1, luaflow.retain(v2)" or "v2, luaflow.retain(v1)" end

-- In one go, so that nobody reads half of it.
local function write(self, text)
  files.write(self.root:at(code.PATH .. ".new"), text)
  assert(os.rename(self.root:at(code.PATH .. ".new"), self.root:at(code.PATH)))
end

--- Writes the first file.
---@param root spec.Root
---@return chaos.Code
function code.open(root)
  local self = setmetatable({ root = root, active = 1, revision = 0 }, methods)
  files.make_folder(root:at "flows")
  self:save()
  return self
end

--- A new revision of the handlers, in place of whatever is there; with another active version where that is given.
---@param active? integer
function methods:save(active)
  self.active, self.revision, self.defect = active or self.active, self.revision + 1, nil
  write(self, FLOWS:format(code.TIMEOUT, self.revision, flows(self.active)))
end

--- Puts a bad file there. Returns what is wrong with it.
---@param choice integer
---@return string
function methods:spoil(choice)
  local defect = DEFECTS[choice % #DEFECTS + 1]
  self.defect = defect[1]
  write(self, defect[2](FLOWS:format(code.TIMEOUT, -self.revision, flows(self.active))))
  return defect[1]
end

return code
