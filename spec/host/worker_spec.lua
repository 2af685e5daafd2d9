-- What a worker does with tasks: steps and maps, retries, endings, contexts, logs, limits.
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local ORDER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "order" }
  :array({ slug = "lines" }, function(order) return order.lines end)
  :map({ slug = "price", array = "lines" }, function(line, ctx)
    return { sku = line.sku, cents = line.qty * ctx:flow_input().unit }
  end)
  :step({ slug = "total", depends_on = { "price" } }, function(deps)
    local sum = 0
    for _, line in ipairs(deps.price) do sum = sum + line.cents end
    return sum
  end)
]]

local ENDINGS = [[
local luaflow = require "luaflow"
local handlers = {}
function handlers.flaky(_, ctx)
  if ctx.attempt < 3 then error "not yet" end
  return ctx.attempt
end
function handlers.always() error "never" end
function handlers.structured() error { code = 7 } end
function handlers.fail() luaflow.fail "for good" end
function handlers.later(_, ctx)
  if ctx.attempt == 1 then luaflow.retry_after(2, "in two seconds") end
  return ctx.attempt
end
function handlers.snooze(_, ctx)
  local path = ctx.env.SPEC_FOLDER .. "/snoozed"
  local file = io.open(path)
  if not file then
    io.open(path, "w"):close()
    luaflow.snooze(1, "not now")
  end
  file:close()
  return ctx.attempt
end
function handlers.exit() os.exit(0) end
function handlers.slow(_, ctx) ctx:sleep(60) end
local function act(input, ctx) return handlers[input](input, ctx) end
return luaflow.flow { slug = "endings", max_attempts = 3, base_delay = 1, timeout = 1 }:step({ slug = "act" }, act)
]]

local CONTEXT = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "context", timeout = 45 }
  :step({ slug = "look" }, function(input, ctx)
    print("printed", 1)
    io.stderr:write("to stderr\n")
    ctx:log("warn", "logged", { n = 1, list = { true } })
    return {
      run_id = ctx.run_id, flow_slug = ctx.flow_slug, step_slug = ctx.step_slug, task_index = ctx.task_index,
      attempt = ctx.attempt, max_attempts = ctx.max_attempts, queue = ctx.queue, worker_id = ctx.worker_id,
      left = ctx.deadline - os.time(), stopping = ctx:stopping(), input = ctx:flow_input(), same = input.a == 1,
      can_write = pcall(function() ctx.attempt = 5 end), settings = ctx.env.LUAFLOW_GRACE or luaflow.null,
      database = ctx.env.DATABASE_URL or luaflow.null, folder = ctx.env.SPEC_FOLDER ~= nil,
      from_file = ctx.env.GREETING or luaflow.null,
    }
  end)
]]

local SLEEP = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "sleepers" }:map({ slug = "sleep" }, function(n, ctx)
  ctx:sleep(1)
  return n
end)
]]

local TYPES = [[
local luaflow = require "luaflow"
local read = luaflow.flow { slug = "read_object", base_delay = 0 }
  :array({ slug = "list" }, function() return { a = 1 } end)
  :map({ slug = "each", array = "list" }, function(x) return x end)
local unread = luaflow.flow { slug = "unread_object", base_delay = 0 }
  :array({ slug = "list", when_exhausted = "skip" }, function() return { a = 1 } end)
local routes = { list = "types" }
return luaflow.worker { queue = "types", flows = {
  luaflow.deploy(read, { routes = { list = "types", each = "types" } }), luaflow.deploy(unread, { routes = routes }),
} }
]]

local GLOBAL = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "global", max_attempts = 2, base_delay = 0 }:step({ slug = "set" }, function()
  leaked = 1
  return leaked
end)
]]

local LARGE = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "large", max_attempts = 1 }:step({ slug = "make" }, function(n) return ("x"):rep(n) end)
]]

describe("a worker", function()
  local here

  setup(function()
    here = scene.open {
      ["flows/order.lua"] = ORDER, ["flows/endings.lua"] = ENDINGS, ["flows/context.lua"] = CONTEXT, ["flows/sleepers.lua"] = SLEEP,
      ["flows/types.lua"] = TYPES, ["flows/global.lua"] = GLOBAL,
      ["flows/large.lua"] = LARGE,
    }
  end)

  teardown(function() here:close() end)

  after_each(function() here:stop_workers() end)

  local function task(run_id)
    return here.db:row([[
      select t.status, t.attempts_count, t.error_message,
        extract(epoch from coalesce(t.completed_at, t.failed_at) - r.started_at)::float8 as took
      from pgflow.step_tasks t join pgflow.runs r on r.run_id = t.run_id where t.run_id = :'id']], { id = run_id })
  end

  it("runs step, map and step", function()
    here:worker { args = { "--queue", "order" } }
    local run = here.db:complete("order", '{"unit": 100, "lines": [{"sku": "a", "qty": 2}, {"sku": "b", "qty": 3}]}')
    assert.same({ "completed", '{"total": 500}' }, { run.status, run.output_text })
    assert.equal('[{"sku": "a", "cents": 200}, {"sku": "b", "cents": 300}]',
      here.db:text "select s.output from pgflow.step_states s where s.step_slug = 'price'")
    run = here.db:complete("order", '{"unit": 100, "lines": []}')
    assert.same({ "completed", '{"total": 0}' }, { run.status, run.output_text })
  end)

  it("retries with backoff, and ends tasks as their handlers say", function()
    local worker = here:worker { args = { "--queue", "endings" } }
    local ids = {}
    for _, name in ipairs { "flaky", "always", "structured", "fail", "later", "snooze", "exit", "slow" } do
      ids[name] = here.db:start("endings", ('"%s"'):format(name))
    end
    here.db:await_runs(40)

    local flaky = task(ids.flaky)
    assert.same({ "completed", 3 }, { flaky.status, flaky.attempts_count })
    assert.is_true(flaky.took >= 2 + 4 and flaky.took < 15, "took " .. flaky.took) -- 1 s * 2^1, then 1 s * 2^2

    local always = task(ids.always)
    assert.same({ "failed", 3 }, { always.status, always.attempts_count })
    assert.equal("flows/endings.lua:7: never", always.error_message)
    assert.equal("flows/endings.lua:7: never", here.db:await_run(ids.always).error_message)

    assert.equal('{"code":7}', (task(ids.structured).error_message:gsub("%s", "")))

    local failed = task(ids.fail)
    assert.same({ "failed", 1 }, { failed.status, failed.attempts_count })
    assert.truthy(failed.error_message:find("for good", 1, true))

    local later = task(ids.later)
    assert.same({ "completed", 2 }, { later.status, later.attempts_count })
    assert.is_true(later.took >= 2 and later.took < 10, "took " .. later.took)

    local snoozed = task(ids.snooze)
    assert.same({ "completed", 1 }, { snoozed.status, snoozed.attempts_count })
    assert.is_true(snoozed.took >= 1 and snoozed.took < 10, "took " .. snoozed.took)

    local exited = task(ids.exit)
    assert.same({ "failed", 3 }, { exited.status, exited.attempts_count })
    assert.truthy(exited.error_message:find("os.exit", 1, true), exited.error_message)

    local slow = task(ids.slow)
    local LATE = "timed out after 1 s, waiting in ctx:sleep at flows/endings.lua:25"
    assert.same({ "failed", 3, LATE }, { slow.status, slow.attempts_count, slow.error_message })

    assert.same({}, worker:log "executor_died")
    local told = {}
    for _, line in ipairs(worker:log "attempt_failed") do
      local name = line.run == ids.always and "always" or line.run == ids.fail and "fail" or line.run == ids.slow and "slow"
      if name then told[#told + 1] = ("%s %s %d %d %s"):format(name, line.step, line.index, line.attempt, line.message) end
    end
    table.sort(told)
    assert.same({
      "always act 0 1 flows/endings.lua:7: never", "always act 0 2 flows/endings.lua:7: never",
      "always act 0 3 flows/endings.lua:7: never", "fail act 0 1 flows/endings.lua:9: for good",
      "slow act 0 1 " .. LATE, "slow act 0 2 " .. LATE, "slow act 0 3 " .. LATE,
    }, told)
    local snoozes = worker:log "snoozed"
    assert.same({ 1, "info", ids.snooze }, { #snoozes, snoozes[1].level, snoozes[1].run })
    assert.truthy(worker.process:errors():find("stack traceback", 1, true))
  end)

  it("gives handlers a context, and their lines to the log", function()
    here.root:write("handlers.env", "# for handlers\nGREETING = 'good day'\n")
    local worker = here:worker {
      args = { "--queue", "context", "--env-file", here.root:at "handlers.env" }, env = { LUAFLOW_GRACE = "5s", GREETING = "hi" },
    }
    local run_id = here.db:start("context", '{"a": 1}')
    local look = here.db:await_run(run_id).output.look
    assert.is_true(look.left > 40 and look.left <= 46, "left " .. look.left)
    assert.truthy(look.worker_id:find "^%x+%-%x+%-%x+%-%x+%-%x+$")
    look.left, look.worker_id = nil, nil
    local null = require("cjson").null
    assert.same({
      run_id = run_id, flow_slug = "context", step_slug = "look", task_index = 0, attempt = 1, max_attempts = 3,
      queue = "context", stopping = false, input = { a = 1 }, same = true, can_write = false, settings = null, database = null,
      folder = true, from_file = "good day",
    }, look)

    local lines = {}
    for line in worker.process:errors():gmatch "[^\n]+" do
      local entry = require("cjson").decode(line)
      if entry.run == run_id then lines[entry.message or ""] = entry end
    end
    for _, message in ipairs { "printed\t1", "to stderr", "logged" } do
      local line = lines[message]
      assert.is_table(line, message)
      assert.same({ "look", 1 }, { line.step, line.attempt })
    end
    assert.equal("warn", lines.logged.level)
    assert.same({ n = 1, list = { true } }, lines.logged.fields)
  end)

  it("lets other tasks run while handlers sleep", function()
    local numbers = {}
    for i = 1, 100 do numbers[i] = i end
    here:worker { args = { "--queue", "sleepers", "--executors", "1", "--concurrency", "100" } }
    local started = wait.now()
    local run = here.db:complete("sleepers", "[" .. table.concat(numbers, ",") .. "]")
    local took = wait.now() - started
    assert.equal("completed", run.status)
    assert.equal(100, #run.output.sleep)
    assert.is_true(took < 20, ("100 sleeps of 1 s took %.1f s"):format(took))
  end)

  it("never retries an array step that gives something else", function()
    local worker = here:worker { args = { "--queue", "types" } }
    local read, unread = here.db:start "read_object", here.db:start "unread_object"
    local run = here.db:await_run(read)
    assert.equal("failed", run.status)
    assert.truthy(run.error_message:find("[TYPE_VIOLATION]", 1, true), run.error_message)
    assert.equal("completed", here.db:await_run(unread).status)
    for _, id in ipairs { read, unread } do assert.equal(1, task(id).attempts_count) end
    assert.truthy(task(unread).error_message:find("[TYPE_VIOLATION]", 1, true))
    local told = worker:log "attempt_failed"
    assert.equal(2, #told)
    for _, line in ipairs(told) do
      assert.truthy(line.message:find "^%[TYPE_VIOLATION%] Produced object instead of array: flows/.*: return a list", line.message)
    end
  end)

  it("refuses an output above --max-output, which it names", function()
    here:worker { args = { "--queue", "large", "--max-output", "1MB" } }
    assert.equal("completed", here.db:complete("large", "1000000").status)
    assert.equal("flows/large.lua:2: output: larger than 1048576 bytes (--max-output)",
      here.db:complete("large", "1100000").error_message)
  end)

  it("never retries an input that cannot be read", function()
    local worker = here:worker { args = { "--queue", "global" } }
    local inputs = { '{"a": [1, 1e400]}', '[9223372036854775808]', ("["):rep(513) .. ("]"):rep(513) }
    for i, place in ipairs { "input.a[2]: ", "input[1]: ", ": nested deeper than 512" } do
      local run_id = here.db:start("global", inputs[i])
      assert.equal("failed", here.db:await_run(run_id).status)
      assert.same({ "failed", 1 }, { task(run_id).status, task(run_id).attempts_count })
      assert.truthy(task(run_id).error_message:find(place, 1, true), task(run_id).error_message)
    end
    assert.equal(3, #worker:log "attempt_failed")
  end)

  it("warns of a new global, and refuses it in development", function()
    local worker = here:worker { args = { "--queue", "global" } }
    assert.equal("completed", here.db:complete("global").status)
    assert.truthy(worker.process:errors():find 'to the global .-leaked')
    here:stop_workers()
    here:worker { args = { "--queue", "global", "--development" } }
    local run = here.db:complete "global"
    assert.equal("failed", run.status)
    assert.truthy(run.error_message:find "^flows/global.lua:3: .*global .-leaked", run.error_message)
  end)
end)
