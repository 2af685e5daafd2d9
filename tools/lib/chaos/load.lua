-- The runs that are started, at a steady rate, over a connection without faults of its own. Each has a key, so that a start
-- whose answer was lost can be sent again.
local load = {}

-- The built-in flow. Every execution of a handler is a line in a file: run, step, index, attempt, worker, whether it is made to
-- fail, time of the claim.
load.FLOW = [[
local luaflow = require "luaflow"
local TIMEOUT = 20

local function note(ctx, fails)
  local file = assert(io.open(ctx.env.CHAOS_EXECUTIONS, "a"))
  file:setvbuf("full") -- one write
  file:write(("%s %s %d %d %s %d %.3f\n"):format(
    ctx.run_id, ctx.step_slug, ctx.task_index, ctx.attempt, ctx.env.CHAOS_WORKER, fails and 1 or 0, ctx.deadline - TIMEOUT))
  file:close()
end

return luaflow.flow { slug = "chaos", max_attempts = 30, base_delay = 0, timeout = TIMEOUT }
  :array({ slug = "list" }, function(n, ctx)
    note(ctx)
    local numbers = {}
    for i = 1, 20 do numbers[i] = n + i end
    return numbers
  end)
  :map({ slug = "each", array = "list" }, function(n, ctx)
    local fails = n % 13 == 0 and ctx.attempt == 1
    note(ctx, fails)
    ctx:sleep(n % 101 == 0 and 2 or n % 7 / 10)
    if fails then error "once" end
    return n * 2
  end)
  :step({ slug = "sum", depends_on = { "each" } }, function(deps, ctx)
    note(ctx)
    local sum = 0
    for _, n in ipairs(deps.each) do sum = sum + n end
    return sum
  end)
]]

--- The output of the built-in flow's run for an input n, as SQL.
load.EXPECTED = "jsonb_build_object('sum', 40 * r.input::int + 420)"

---@class chaos.Load
local methods = {}
methods.__index = methods

---@param db spec.Database
---@param name string
---@param input? string JSON text; the number of the run where there is none
---@param rate number runs a second
---@param now number
function load.open(db, name, input, rate, now)
  return setmetatable({ db = db, name = name, input = input, rate = rate, from = now, started = 0 }, methods)
end

--- Starts what is due by now. While the database is away nothing is lost: the same runs are due again.
function methods:feed(now)
  local due = math.floor((now - self.from) * self.rate)
  if due <= self.started then return end
  local asked, answer = pcall(self.db.try, self.db, [[
    select count(*) from generate_series(:first, :last) i,
      lateral pgflow.start_flow(:'name', coalesce(nullif(:'input', '')::jsonb, to_jsonb(i)), idempotency_key => 'chaos ' || i)]],
    { first = self.started + 1, last = due, name = self.name, input = self.input or "" }, 20)
  if asked and answer.code == 0 then self.started = due end
end

return load
