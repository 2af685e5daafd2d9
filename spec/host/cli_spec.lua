-- The commands of clients: what goes to which stream, exit codes, where settings come from, and what mistakes are told.
local cjson = require "cjson"
local database = require "spec.support.database"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local FLOWS = [[
local luaflow = require "luaflow"

local greet = luaflow.flow { slug = "greet", max_attempts = 1 }
  :step({ slug = "find_name" }, function(input)
    if luaflow.is_null(input.name) then luaflow.fail "who is it?" end
    return input.name
  end)
  :step({ slug = "salute", depends_on = { "find_name" } }, function(deps) return "Hello, " .. deps.find_name .. "!" end)

local fan = luaflow.flow { slug = "fan" }
  :map({ slug = "square" }, function(n) return n * n end)
  :step({ slug = "total", depends_on = { "square" } }, function(deps)
    local sum = 0
    for _, n in ipairs(deps.square) do sum = sum + n end
    return sum
  end)

local echo = luaflow.flow { slug = "echo" }:step({ slug = "only" }, function(input) return input end)
local shout = luaflow.flow { slug = "shout", max_attempts = 1 }
  :step({ slug = "aloud" }, function() luaflow.fail "one\n\7two \27[31m\194\155three" end)
local retry = luaflow.flow { slug = "retry", base_delay = 1, max_attempts = 3 }
  :step({ slug = "shaky" }, function(_, ctx)
    if ctx.attempt == 1 then luaflow.retry_after(2, "not yet") end
    return ctx.attempt
  end)
local lines = luaflow.flow { slug = "lines", base_delay = 3, max_attempts = 2 }
  :map({ slug = "price" }, function(line, ctx)
    if line == "bad" and ctx.attempt == 1 then error "no such article" end
    return line
  end)
local remote = luaflow.flow { slug = "remote", max_attempts = 1 }
  :step({ slug = "fetch" }, function() require "luaflow.http".request { url = "nowhere" } end)
local later = luaflow.flow { slug = "later" }
  :step({ slug = "doze" }, function(input) luaflow.snooze(input.seconds) end)
local slow = luaflow.flow { slug = "slow" }:step({ slug = "nap" }, function(_, ctx) ctx:sleep(4) return true end)

return luaflow.worker { queue = "cli", flows = {
  luaflow.deploy(greet, { routes = { find_name = "cli", salute = "cli" } }),
  luaflow.deploy(fan, { routes = { square = "cli", total = "cli" } }),
  luaflow.deploy(echo, { routes = { only = "cli" } }),
  luaflow.deploy(shout, { routes = { aloud = "cli" } }),
  luaflow.deploy(retry, { routes = { shaky = "cli" } }),
  luaflow.deploy(lines, { routes = { price = "cli" } }),
  luaflow.deploy(remote, { routes = { fetch = "cli" } }),
  luaflow.deploy(later, { routes = { doze = "cli" } }),
  luaflow.deploy(slow, { routes = { nap = "cli" } }),
} }
]]

local NOWHERE = "host=/nowhere/at/all"
local ID = "^%x%x%x%x%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x$"
local UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

-- The settings that each command takes, with the variables that set them too.
local DATABASE = { "--database", "LUAFLOW_DATABASE", "DATABASE_URL", "--root", "LUAFLOW_ROOT", "--help" }
local SERVING = {
  "--executors", "LUAFLOW_EXECUTORS", "--concurrency", "LUAFLOW_CONCURRENCY", "--batch", "LUAFLOW_BATCH", "default 500", "--grace",
  "LUAFLOW_GRACE", "default 30s", "--executor-memory", "LUAFLOW_EXECUTOR_MEMORY", "default 512MB", "--max-output",
  "LUAFLOW_MAX_OUTPUT", "default 16MB", "--max-input", "LUAFLOW_MAX_INPUT", "default 64MB",
  "--log-format", "LUAFLOW_LOG_FORMAT", "--log-level", "LUAFLOW_LOG_LEVEL", "--root",
  "LUAFLOW_ROOT", "--help",
}
local HELP = {
  dev = { "--reset", "--data", "--database-only", SERVING },
  worker = { "--database", "DATABASE_URL", "--queue", "LUAFLOW_QUEUE", SERVING },
  check = { "--root", "--json", "--help" },
  start = { "--wait", "--key", "--json", DATABASE },
  runs = { "--flow", "--status", "started|completed|failed|cancelled", "--limit", "--json", DATABASE },
  run = { "--json", DATABASE },
  cancel = { "--reason", "--json", DATABASE },
  retry = { "--wait", "--json", DATABASE },
  flows = { "retire ALIAS | forget SLUG", "--json", DATABASE },
  queues = { "--json", DATABASE },
  workers = { "--all", "--json", DATABASE },
  functions = { "enable|disable NAME... | forget NAME", "--json", DATABASE },
  rollout = { "begin NAME... [--new NAME]... | status | finish", "--new", "--force", "--yes", "--json", DATABASE },
  prune = { "--older-than", "--batch", "default 10000", "--json", DATABASE },
  doctor = { "--json", DATABASE },
  migrate = { "--print", DATABASE },
  lua = { "--max-output", "--log-format", "--log-level", "--root", "--help" },
}

describe("the command line", function()
  local here, serving

  setup(function()
    here = scene.open { ["flows/all.lua"] = FLOWS }
    serving = here:worker { args = { "--executors", "1" } }
    here.db:text "select pgflow.create_flow('idle'); select pgflow.add_step('idle', 'step')"
  end)

  teardown(function() here:close() end)

  local function luaflow(...)
    return here:luaflow { ... }
  end

  local function count_runs()
    return here.db:number "select count(*) from pgflow.runs"
  end

  local function start(...)
    local result = luaflow("start", ...)
    assert.equal(0, result.code, result.err)
    return (result.out:gsub("\n$", ""))
  end

  local function cancel(flow)
    here.db:text("update pgflow.runs set status = 'cancelled', cancelled_at = now() where flow_slug = :'flow'", { flow = flow })
  end

  describe("start", function()
    it("prints the run's id alone", function()
      local result = luaflow("start", "echo", '{"a": 1}')
      assert.same({ code = 0, err = "" }, { code = result.code, err = result.err })
      local run_id = result.out:match "^(.*)\n$"
      assert.truthy(run_id:find(ID), result.out)
      assert.equal('{"only": {"a": 1}}', here.db:await_run(run_id).output_text)
      assert.equal("{}", here.db:text("select r.input from pgflow.runs r where r.run_id = :'id'", { id = start "echo" }))
      assert.truthy(cjson.decode(start("echo", "--json")).run_id:find(ID))
    end)

    it("--wait puts the output on stdout and the progress on stderr", function()
      local result = luaflow("start", "greet", '{"name": "Ada"}', "--wait")
      assert.same({ 0, '{"salute": "Hello, Ada!"}\n' }, { result.code, result.out })
      assert_says(result.err, "find_name: completed\n", "salute: completed\n")
      result = luaflow("start", "--wait", "fan", "[1, 2, 3]")
      assert.same({ 0, '{"total": 14}\n' }, { result.code, result.out })
      assert_says(result.err, "square: completed, 3 tasks\n")
    end)

    it("--wait on a terminal draws the tree", function()
      local shown = process.spawn {
        argv = { process.luaflow(), "start", "greet", '{"name": "Ada"}', "--wait" }, name = "start", cwd = here.root.path,
        env = { DATABASE_URL = here.db.conninfo, TERM = "xterm", LC_ALL = "C.UTF-8", NO_COLOR = "1" }, terminal = true,
      }
      assert.same({ code = 0 }, shown:wait(20))
      local text = shown:output():gsub("\r", "")
      shown:forget()
      assert_says(text, "└─ ✓ find_name", "   └─ ✓ salute", '{\n    "salute": "Hello, Ada!"\n}\n', "\27[K")
    end)

    it("--wait ends with 1 for a run that failed, and names step and message", function()
      local result = luaflow("start", "greet", "{}", "--wait")
      assert_refused(result, 1, "failed at step find_name: flows/all.lua:5: who is it?", "hint: luaflow run ", "; luaflow retry ")
      local run_id = result.err:match "luaflow: run (%S+) failed"
      assert.equal("failed", here.db:await_run(run_id).status)
    end)

    it("--wait tells of attempts that failed and of naps", function()
      local result = luaflow("start", "retry", "--wait")
      assert.same({ 0, '{"shaky": 2}\n' }, { result.code, result.out })
      assert.truthy(result.err:find "shaky: attempt 1 of 3 failed, %w[^\n]+: flows/all.lua:23: not yet\n", result.err)
      assert_says(result.err, "shaky: completed\n")
      local run_id = start("later", '{"seconds": 3600}')
      wait.till(function() return luaflow("run", run_id).out:find("`- > doze  snoozed  ", 1, true) end, 10, "the step to be put back")
      cancel "later"
    end)

    it("--wait and run tell of a task of a map that fails, and when it is tried again", function()
      local waiting = process.spawn {
        argv = { process.luaflow(), "start", "lines", '["good", "bad", "good"]', "--wait" }, name = "start",
        env = { DATABASE_URL = here.db.conninfo },
      }
      local words = 'task 1 (element "bad"): attempt 1 of 2 failed, next in '
      wait.till(function() return waiting:errors():find(words, 1, true) end, 10, "the attempt to be told")
      local line = 'price: %d of 3 tasks; task 1 %(element "bad"%): attempt 1 of 2 failed, next in [%d.]+ s: '
        .. "flows/all.lua:28: no such article\n"
      assert.truthy(waiting:errors():find(line), waiting:errors())
      local run_id = here.db:text "select r.run_id from pgflow.runs r where r.flow_slug = 'lines'"
      assert_says(luaflow("run", run_id).out, "2 of 3 tasks", words, "  flows/all.lua:28: no such article\n")
      assert.same({ code = 0 }, waiting:wait(20))
      assert.equal('{"price": ["good", "bad", "good"]}\n', waiting:output())
      waiting:forget()
      assert.is_nil(luaflow("run", run_id).out:find("no such article", 1, true))
    end)

    it("shows the message of an error table, which is stored as JSON", function()
      local words = "flows/all.lua:32: "
      local result = luaflow("start", "remote", "--wait")
      assert_refused(result, 1, "failed at step fetch: " .. words)
      assert.is_nil(result.err:find("{", 1, true))
      local run_id = result.err:match "luaflow: run (%S+) failed"
      assert_says(luaflow("run", run_id).out, "  " .. words)
      assert_says(luaflow("runs", "--flow", "remote").out, "fetch: " .. words)
      local stored = cjson.decode(here.db:await_run(run_id).error_message)
      assert.same("invalid", stored.kind)
      for _, line in ipairs(serving:log "attempt_failed") do
        if line.flow == "remote" then assert.equal(stored.message, line.message) end
        assert.equal(line.flow == "retry" and 2 or line.flow == "lines" and 6 or nil, line.retry_in_s)
        assert.equal(not line.retry_in_s and "failed" or nil, line.task)
      end
    end)

    it("--wait --json prints an object, whatever the end", function()
      local result = luaflow("start", "greet", '{"name": "Ada"}', "--wait", "--json")
      local told = cjson.decode(result.out)
      assert.same({ 0, "completed", { salute = "Hello, Ada!" } }, { result.code, told.status, told.output })
      assert.equal("completed", here.db:await_run(told.run_id).status)
      result = luaflow("start", "greet", "--wait", "--json")
      told = cjson.decode(result.out)
      assert.same({ 1, "failed", "find_name", "flows/all.lua:5: who is it?" },
        { result.code, told.status, told.error_step_slug, told.error_message })
      assert.is_nil(told.output)
    end)

    it("--wait says that no worker serves a queue", function()
      local waiting = process.spawn {
        argv = { process.luaflow(), "start", "idle", "--wait" }, name = "start", env = { DATABASE_URL = here.db.conninfo },
      }
      wait.till(function() return waiting:errors():find "no live worker" end, 10, "the missing worker to be told")
      assert.equal("step: queued\nno live worker serves queue idle\n", waiting:errors())
      local run_id = here.db:text "select r.run_id from pgflow.runs r where r.flow_slug = 'idle'"
      assert_says(luaflow("run", run_id).out, "`- > step  queued  ", "no live worker serves queue idle\n")
      waiting:forget()
      cancel "idle"
    end)

    it("--wait lets go of the run at Ctrl-C", function()
      local waiting = process.spawn {
        argv = { process.luaflow(), "start", "slow", "--wait" }, name = "start", env = { DATABASE_URL = here.db.conninfo },
      }
      wait.till(function() return waiting:errors():find("nap: started", 1, true) end, 10, "the step to be shown")
      waiting:signal(process.SIGINT)
      assert.same({ code = 130 }, waiting:wait(2))
      assert.equal("", waiting:output())
      local run_id = waiting:errors():match "luaflow run (%S+)\n"
      waiting:forget()
      assert.equal("completed", here.db:await_run(run_id).status)
    end)

    it("reads JSON from standard input", function()
      here.root:write("input.json", '\n  {"from": "stdin"}\n')
      local result = here:luaflow({ "start", "echo", "-", "--wait" }, { stdin = here.root:at "input.json" })
      assert.same({ 0, '{"only": {"from": "stdin"}}\n' }, { result.code, result.out })
      here.root:write("input.json", '{"from": ')
      result = here:luaflow({ "start", "echo", "-" }, { stdin = here.root:at "input.json" })
      assert_refused(result, 2, "the input is not valid JSON")
      here.root:write("input.json", "\239\187\191{}")
      result = here:luaflow({ "start", "echo", "-" }, { stdin = here.root:at "input.json" })
      assert_refused(result, 2, "the input is not valid JSON", "hint: it begins with a byte order mark")
    end)

    it("takes negative numbers, with and without --", function()
      for _, words in ipairs {
        { "-5", { "start", "echo", "-5", "--wait" } }, { "-5", { "start", "--wait", "echo", "--", "-5" } },
        { "-0.25", { "start", "echo", "--wait", "-25e-2" } },
        { "-9223372036854775808", { "start", "echo", "-9223372036854775808", "--wait" } },
      } do
        local result = here:luaflow(words[2])
        assert.same({ 0, ('{"only": %s}\n'):format(words[1]) }, { result.code, result.out }, result.err)
      end
      assert_refused(luaflow("start", "echo", "-5x"), 2, "the input is not valid JSON")
      assert_refused(luaflow("start", "echo", "-Infinity"), 2, "unknown option -Infinity", "put -- before an argument")
    end)

    it("refuses what is no JSON, and starts nothing", function()
      local before = count_runs()
      for _, text in ipairs { '{"a": ', "nope", "", "{'a': 1}", "[1] [2]", "[1,]", '"\255"', "NaN" } do
        assert_refused(luaflow("start", "echo", text), 2, "the input is not valid JSON")
      end
      assert_refused(luaflow("start", "echo", '"\\u0000"'), 2, "Postgres cannot store the input")
      assert.equal(before, count_runs())
    end)

    it("names the flows that there are where one is unknown", function()
      assert_refused(luaflow("start", "gret"), 1, "'gret'",
        "known once its worker has deployed it; now: echo, fan, greet, idle, later, lines, remote, retry, shout, slow")
    end)

    it("starts one run for a key", function()
      local first = start("echo", "1", "--key", "k")
      assert.equal(first, start("echo", "1", "--key", "k"))
      local other = luaflow("start", "echo", "2", "--key", "k")
      assert_refused(other, 1, "'k' of echo belongs to a run with another input", "use a new key for a new input")
      assert.is_nil(other.err:find(first, 1, true))
    end)
  end)

  describe("runs and run", function()
    local done, failed

    setup(function()
      done, failed = start("fan", "[1, 2]"), start "greet"
      here.db:await_runs()
    end)

    local function listed(...)
      local result = luaflow("runs", ...)
      assert.equal(0, result.code, result.err)
      local lines = {}
      for line in result.out:gmatch "[^\n]+" do lines[#lines + 1] = line end
      return lines
    end

    it("list the latest first, one a line, plain", function()
      local lines = listed("--limit", "2")
      assert.equal(2, #lines)
      assert.truthy(lines[1]:find("^" .. failed:gsub("%-", "%%-") .. "  greet +failed +%d of 2 .*find_name: .*who is it%?$"), lines[1])
      assert.truthy(lines[2]:find("^" .. done:gsub("%-", "%%-") .. "  fan +completed +2 of 2 "), lines[2])
      assert.is_nil(table.concat(lines):find "\27")
    end)

    it("leave columns out where there is too little room, but neither status nor reason", function()
      local shown = process.spawn {
        argv = { process.luaflow(), "runs", "--limit", "2" }, name = "runs", terminal = true,
        env = { DATABASE_URL = here.db.conninfo, TERM = "xterm", LC_ALL = "C.UTF-8", NO_COLOR = "1" },
      }
      assert.same({ code = 0 }, shown:wait(20))
      local text = shown:output():gsub("\r", "")
      shown:forget()
      assert.equal(([[
RUN                                   FLOW   STATUS
%s  greet  failed     who is it?
%s  fan    completed
]]):format(failed, done), text)
    end)

    it("list by flow and by state", function()
      local function assert_all(pattern, count, lines)
        assert.equal(count, #lines)
        for _, line in ipairs(lines) do assert.truthy(line:find(pattern), line) end
      end
      local function expected(condition)
        return here.db:number("select count(*) from pgflow.runs r where " .. condition)
      end
      assert_all("^%S+  fan ", expected "r.flow_slug = 'fan'", listed("--flow", "fan", "--limit", "1000"))
      assert_all("^%S+  %S+ +failed ", expected "r.status = 'failed'", listed("--status", "failed", "--limit", "1000"))
      assert_all("^%S+  fan +completed ", expected "r.flow_slug = 'fan' and r.status = 'completed'",
        listed("--flow", "fan", "--status", "completed", "--limit", "1000"))
      assert.same({}, listed("--flow", "fan", "--status", "cancelled"))
      assert_refused(luaflow("runs", "--status", "done"), 2, "--status must be one of started|completed|failed|cancelled, not done")
      assert_refused(luaflow("runs", "--limit", "0"), 2, "--limit")
      assert_refused(luaflow("runs", "--flow", "nope"), 1, "there is no flow or alias 'nope'", "known: echo, fan, greet, idle")
    end)

    it("print JSON for programs", function()
      local list = cjson.decode(luaflow("runs", "--json", "--limit", "2").out)
      assert.same({ failed, done }, { list[1].run_id, list[2].run_id })
      assert.same({ "failed", "find_name" }, { list[1].status, list[1].error_step_slug })
      assert.equal("[]\n", luaflow("runs", "--json", "--flow", "fan", "--status", "cancelled").out)

      local one = cjson.decode(luaflow("run", done, "--json").out)
      assert.same({ done, "completed", { total = 5 } }, { one.run.run_id, one.run.status, one.run.output })
      local square, total = one.steps[1], one.steps[2]
      assert.same({ "square", "map", 2 }, { square.step_slug, square.step_type, square.tasks.completed })
      assert.same({ "total", "single", { "square" } }, { total.step_slug, total.step_type, total.dependencies })
    end)

    it("show one run as a tree", function()
      local result = luaflow("run", done)
      assert.equal(0, result.code, result.err)
      local head, first, second = result.out:match "^([^\n]+)\n([^\n]+)\n([^\n]+)\n$"
      assert.truthy(head, result.out)
      assert.truthy(head:find("^fan  " .. done:gsub("%-", "%%-") .. "  completed  in "), head)
      assert.truthy(first:find "^`%- %+ square +2 tasks ", first)
      assert.truthy(second:find "^   `%- %+ total ", second)

      result = luaflow("run", failed)
      assert.equal(0, result.code, result.err)
      assert_says(result.out, "greet  " .. failed .. "  failed  in ", "\n`- x find_name  failed after ", "flows/all.lua:5: who is it?",
        "\n   `- . salute  not reached\n")
    end)

    it("say that there is no such run", function()
      assert_refused(luaflow("run", UNKNOWN_ID), 1, "there is no run " .. UNKNOWN_ID)
      assert_refused(luaflow("run", UNKNOWN_ID, "--json"), 1, "there is no run " .. UNKNOWN_ID)
      assert_refused(luaflow("run", "12"), 2, '"12" is not a run id')
    end)
  end)

  it("fails where its output is lost", function()
    local run_id = start "echo"
    here.db:await_run(run_id)
    for _, words in ipairs {
      { "start", "echo" }, { "start", "echo", "--wait" }, { "runs" }, { "runs", "--json" }, { "run", run_id }, { "run", run_id, "--json" },
      { "check", "flows" }, { "migrate" }, { "migrate", "--print" }, { "--help" }, { "start", "--help" }, { "--version" },
    } do
      local result = process.run {
        argv = { "sh", "-c", '"$0" "$@" >/dev/full', process.luaflow(), unpack(words) }, cwd = here.root.path,
        env = { DATABASE_URL = here.db.conninfo },
      }
      assert_refused(result, 1, "luaflow: standard output: No space left on device\n")
    end
  end)

  it("prints no control characters of messages", function()
    local failed = luaflow("start", "shout", "{}", "--wait")
    assert_refused(failed, 1, "failed at step aloud: flows/all.lua:", ": one  two  [31m three\n")
    assert.is_nil(failed.err:find "[\27\7]")
    assert.is_nil(luaflow("run", failed.err:match "run (%S+) failed").out:find "[\27\7]")
  end)

  it("serves whoever may only start runs", function()
    here.db:text [[
      do $$ begin create role luaflow_spec_starter login; exception when duplicate_object then null; end $$;
      grant pgflow_starter to luaflow_spec_starter]]
    local function as_starter(...)
      local result = here:luaflow({ ... }, { env = { DATABASE_URL = here.db.conninfo .. " user=luaflow_spec_starter" } })
      assert.equal(0, result.code, result.err)
      return result.out
    end
    assert.equal('{"total": 14}\n', as_starter("start", "fan", "[1, 2, 3]", "--wait"))
    local run_id = as_starter("start", "echo"):match "%S+"
    here.db:await_run(run_id)
    assert_says(as_starter("run", run_id), "`- + only ")
    assert.equal("completed", cjson.decode(as_starter("run", run_id, "--json")).run.status)
  end)

  describe("settings", function()
    local function with(env, ...)
      return here:luaflow({ ... }, { env = env })
    end

    it("choose the database: a flag, then LUAFLOW_DATABASE, then DATABASE_URL", function()
      local good = here.db.conninfo
      assert.equal(0, with({ LUAFLOW_DATABASE = NOWHERE, DATABASE_URL = NOWHERE }, "runs", "--database", good).code)
      assert.equal(0, with({ LUAFLOW_DATABASE = good, DATABASE_URL = NOWHERE }, "runs").code)
      assert.equal(0, with({ DATABASE_URL = good }, "runs").code)
      assert.equal(6, with({ LUAFLOW_DATABASE = NOWHERE, DATABASE_URL = good }, "runs").code)
      assert.equal(6, with({ LUAFLOW_DATABASE = good, DATABASE_URL = good }, "runs", "--database", NOWHERE).code)
    end)

    it("name no database where nothing does and no dev runs", function()
      assert_refused(with({}, "runs"), 6, "none of your luaflow dev runs for " .. here.root.path, "DATABASE_URL")
    end)

    it("come from a flag, then the environment, then the default", function()
      local function concurrency(env, ...)
        env.LUAFLOW_EXECUTORS = "1"
        local worker = here:worker { args = { ... }, env = env }
        return worker:log("running")[1].concurrency
      end
      assert.equal(10, concurrency {})
      assert.equal(7, concurrency { LUAFLOW_CONCURRENCY = "7" })
      assert.equal(3, concurrency({ LUAFLOW_CONCURRENCY = "7" }, "--concurrency", "3"))
      assert.equal(3, concurrency({ LUAFLOW_CONCURRENCY = "many" }, "--concurrency=3"))
    end)

    it("are refused where they make no sense", function()
      local function refused(words, ...)
        assert_refused(here:luaflow(words), 2, ...)
      end
      refused({ "worker", "--executors", "0", "flows" }, "--executors must be a whole number from 1 to 1024, not 0")
      refused({ "worker", "--grace", "soon", "flows" }, "--grace must be a time such as 30s, 500ms or 2m, from 0s to 24h, not soon")
      refused({ "worker", "--executor-memory", "1kB", "flows" }, "--executor-memory", "from 32MB")
      refused({ "worker", "--log-level", "loud", "flows" }, "debug|info|warn|error")
      assert_refused(with({ LUAFLOW_BATCH = "many" }, "worker", "flows"), 2, "LUAFLOW_BATCH must be a whole number")
    end)

    it("are listed by --help of each command that takes them", function()
      local function assert_lists(text, words)
        for _, word in ipairs(words) do
          if type(word) == "table" then assert_lists(text, word) else assert_says(text, word) end
        end
      end
      local all = luaflow "--help"
      assert.same({ 0, "" }, { all.code, all.err })
      for command, words in pairs(HELP) do
        assert.truthy(all.out:find("\n  " .. command .. " +%l"), command)
        local result = luaflow(command, "--help")
        assert.same({ 0, "" }, { result.code, result.err })
        assert_says(result.out, "Usage: luaflow " .. command)
        assert_lists(result.out, words)
      end
    end)
  end)

  describe("mistakes", function()
    it("in the command get a hint", function()
      assert_refused(luaflow "strat", 2, "strat: unknown command", "did you mean luaflow start?")
      assert_refused(luaflow "elephant", 2, "elephant: unknown command", "luaflow --help")
      assert_refused(luaflow "--wat", 2, "--wat: unknown option")
      local nothing = luaflow()
      assert.same({ 2, "" }, { nothing.code, nothing.out })
      assert_says(nothing.err, "luaflow: no command was given\n\nUsage: luaflow COMMAND")
    end)

    it("in options and arguments get a hint", function()
      assert_refused(luaflow("start", "echo", "--wiat"), 2, "start: unknown option --wiat", "did you mean --wait?")
      assert_refused(luaflow("runs", "--batch", "5"), 2, "runs: unknown option --batch")
      assert_refused(luaflow("runs", "--flow"), 2, "--flow needs a value")
      assert_refused(luaflow("start", "--wait=1", "echo"), 2, "--wait takes no value")
      assert_refused(luaflow "start", 2, "an argument is missing", "usage: luaflow start")
      assert_refused(luaflow("start", "echo", "{}", "more"), 2, "more is one argument too many", "usage: luaflow start")
    end)
  end)

  it("says what is wrong with a path", function()
    assert_refused(luaflow("check", ""), 2, "PATH: the value is empty")
    assert_refused(luaflow("check", "/"), 2, "check: / cannot be the root, the folder that require starts from",
      "or the root with --root DIR")
    assert_refused(luaflow("check", "nowhere"), 2, "check: there is no file or folder nowhere", "give the path of a .lua file")
    assert.is_nil(luaflow("check", "--root", "flows", "/").err:find "hint")
    assert_refused(luaflow("lua", "nosuch.lua"), 2, "lua: nosuch.lua: No such file or directory")
    assert_refused(luaflow("lua", "flows"), 2, "lua: flows: Is a directory")
  end)

  describe("a database", function()
    it("that cannot be reached is exit 6", function()
      for _, words in ipairs { { "start", "echo" }, { "runs" }, { "run", UNKNOWN_ID }, { "migrate" } } do
        local result = here:luaflow(words, { env = { DATABASE_URL = NOWHERE } })
        assert_refused(result, 6, "/nowhere/at/all", "hint: check DATABASE_URL, and that the server runs")
      end
    end)

    it("without the schema is exit 6 with the way to it", function()
      local empty = database.create()
      for _, words in ipairs { { "start", "echo" }, { "runs" }, { "run", UNKNOWN_ID } } do
        local result = here:luaflow(words, { env = { DATABASE_URL = empty.conninfo } })
        assert_refused(result, 6, "no luaflow schema", "luaflow migrate")
      end
      empty:drop()
    end)
  end)
end)
