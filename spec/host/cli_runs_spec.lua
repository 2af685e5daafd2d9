-- Cancelling, retrying and pruning runs from the command line, and how such runs are shown.
local cjson = require "cjson"
local files = require "spec.support.files"
local luacats = require "spec.support.luacats"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local assert_says, assert_refused = said.assert_says, said.assert_refused

local FLOWS = [[
local luaflow = require "luaflow"

local function note(ctx, word)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/notes", "a")
  file:write(word, "\n")
  file:close()
end

local shaky = luaflow.flow { slug = "shaky", max_attempts = 1 }
  :step({ slug = "find" }, function(input, ctx) note(ctx, "find") return input end)
  :step({ slug = "use", depends_on = { "find" } }, function(deps, ctx)
    note(ctx, "use")
    local file = io.open(ctx.env.SPEC_FOLDER .. "/repaired")
    if not file then luaflow.fail "it is broken" end
    file:close()
    return deps.find
  end)

local long = luaflow.flow { slug = "long", timeout = 100 }
  :step({ slug = "work" }, function(_, ctx) note(ctx, "work") ctx:sleep(60) end)
  :step({ slug = "after", depends_on = { "work" } }, function() return 1 end)

local choosy = luaflow.flow { slug = "choosy", max_attempts = 1 }
  :step({ slug = "extra", only_if = { express = true } }, function() return 1 end)
  :step({ slug = "frail", when_exhausted = "skip-cascade" }, function() luaflow.fail "no luck" end)
  :step({ slug = "late", depends_on = { "frail" } }, function() return 1 end)

local function no_twos(item, ctx) if item.n == 2 then ctx:sleep(0.5) luaflow.fail "no twos" end return item end
local batch = luaflow.flow { slug = "batch", max_attempts = 1 }:map({ slug = "each" }, no_twos)
local soft = luaflow.flow { slug = "soft" }:map({ slug = "each", when_element_exhausted = "null" }, no_twos)

local quick = luaflow.flow { slug = "quick" }:step({ slug = "only" }, function() return 1 end)

return luaflow.worker { queue = "runs", flows = {
  luaflow.deploy(shaky, { routes = { find = "runs", use = "runs" } }),
  luaflow.deploy(long, { routes = { work = "runs", after = "runs" } }),
  luaflow.deploy(choosy, { routes = { extra = "runs", frail = "runs", late = "runs" } }),
  luaflow.deploy(batch, { routes = { each = "runs" } }),
  luaflow.deploy(soft, { routes = { each = "runs" } }),
  luaflow.deploy(quick, { routes = { only = "runs" } }),
} }
]]

-- Holds up a command that reads the steps, and cancels the run meanwhile.
local HOLDER = [[
  begin;
  lock table pgflow.deps in access exclusive mode;
  \echo holding
  do $$ begin
    while not exists (
      select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and l.relation = 'pgflow.deps'::regclass and not l.granted
    ) loop
      perform pg_sleep(0.05);
    end loop;
  end $$;
  select pg_sleep(1.5);
  select pgflow.cancel_run(:'run_id');
  commit;
]]

-- The milliseconds of a line's only duration.
local function duration_of(line)
  local number, unit = line:match "(%d[%d.]*) (m?s)%f[%A]"
  return tonumber(number) * (unit == "s" and 1000 or 1)
end

local UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"

describe("the commands on runs", function()
  local here

  setup(function()
    here = scene.open { ["flows/all.lua"] = FLOWS }
    here:worker { args = { "--executors", "1", "--grace", "1s" } }
  end)

  teardown(function() here:close() end)

  before_each(function() files.remove(here.root:at "notes") end)

  local function luaflow(...)
    return here:luaflow { ... }
  end

  local function succeed(...) return here:succeed(...) end

  local function count_notes(word)
    local count = 0
    for _, line in ipairs(files.lines(here.root:at "notes")) do count = count + (line == word and 1 or 0) end
    return count
  end

  local function start_long()
    local run_id = here.db:start "long"
    wait.till(function() return count_notes "work" == 1 end, 10, "the handler to begin")
    return run_id
  end

  describe("cancel", function()
    it("ends a run, says what it took back, and keeps the reason", function()
      local run_id = start_long()
      local out, err = succeed("cancel", run_id, "--reason", "no longer wanted")
      assert.same({ ("run %s of long is cancelled; 1 running task is asked to stop\n"):format(run_id), "" }, { out, err })
      local row = here.db:await_run(run_id)
      assert.same({ "cancelled", "no longer wanted" }, { row.status, row.error_message })

      local shown = succeed("run", run_id)
      assert_says(shown, "cancelled  in ", "  no longer wanted\n", "`- - work      cancelled\n", "   `- . after  not reached\n")
      assert_says(succeed("runs", "--status", "cancelled"), run_id, "long", "no longer wanted")
      here:assert_consistent()
    end)

    it("takes back what waits", function()
      here.db:text "select pgflow.create_flow('idle'); select pgflow.add_step('idle', 'step')"
      local run_id = here.db:start "idle"
      assert.equal(("run %s of idle is cancelled; 1 waiting task will not run\n"):format(run_id), (succeed("cancel", run_id)))
      assert.equal(0, here.db:number "select count(*) from pgmq.q_idle")
    end)

    it("says that a run has ended already", function()
      local done = here.db:start "quick"
      here.db:await_run(done)
      assert_refused(luaflow("cancel", done), 1, ("cancel: run %s of quick has already completed"):format(done), "nothing was changed")
      local run_id = start_long()
      local told = cjson.decode((succeed("cancel", run_id, "--json")))
      assert.same({ run_id, "cancelled" }, { told.run_id, told.status })
      assert_refused(luaflow("cancel", run_id, "--reason", "again"), 1, "has already been cancelled")
      assert.equal(cjson.null, here.db:await_run(run_id).error_message)
    end)

    it("refuses what is no run", function()
      assert_refused(luaflow("cancel", UNKNOWN_ID), 1, "there is no run " .. UNKNOWN_ID, "luaflow runs lists them")
      assert_refused(luaflow("cancel", "12"), 2, '"12" is not a run id', "a run id looks like ", "; luaflow runs lists them")
      assert_refused(luaflow "cancel", 2, "an argument is missing", "usage: luaflow cancel [OPTION...] ID")
      assert_refused(luaflow("cancel", UNKNOWN_ID, "--reason", ""), 2, "--reason: the value is empty")
    end)
  end)

  it("names the element of a map that failed", function()
    local run_id = here.db:start("batch", '[{"n": 0}, {"n": 1}, {"n": 2}, {"n": 3}]')
    assert.equal("failed", here.db:await_run(run_id).status)
    local place = '  task 2 (element {"n": 2}): flows/all.lua:28: no twos'
    assert_says(succeed("run", run_id), place)
    local new_id = succeed("retry", run_id):match "%S+"
    assert.equal("failed", here.db:await_run(new_id).status)
    local tasks = "select string_agg(t.status || ' ' || t.attempts_count, ', ' order by t.task_index) from pgflow.step_tasks t "
      .. "where t.run_id = '%s'"
    assert.equal("completed 0, completed 0, failed 1, completed 0", here.db:text(tasks:format(new_id)))
    assert_says(succeed("run", new_id), "a retry of " .. run_id, "3 of 4 tasks  ", place)
    assert_refused(luaflow("start", "batch", '[{"n": 2}]', "--wait"), 1, "failed at step ",
      ': task 0 (element {"n": 2}): flows/all.lua:28: no twos')
    for _, line in ipairs(here.workers[1]:log "attempt_failed") do
      if line.flow == "batch" then assert.equal('{"n": 2}', line.element) end
      if line.flow ~= "batch" then assert.is_nil(line.element) end
    end
  end)

  it("shows how many elements of a map failed and gave null, and the first error", function()
    local words = '  task 2 (element {"n": 2}): flows/all.lua:28: no twos'
    local result = luaflow("start", "soft", '[{"n": 0}, {"n": 1}, {"n": 2}]', "--wait")
    assert.same({ 0, '{"each": [{"n": 0}, {"n": 1}, null]}\n' }, { result.code, result.out })
    assert_says(result.err, "each: completed, 3 tasks, 1 failed:" .. words:sub(2) .. "\n")
    local run_id = here.db:text "select r.run_id from pgflow.runs r where r.flow_slug = 'soft'"
    assert_says(succeed("run", run_id), "completed", "3 tasks, 1 failed  ", words)
    local told = cjson.decode((succeed("run", run_id, "--json")))
    local step = told.steps[1]
    assert.same({ 1, { { task_index = 2, message = "flows/all.lua:28: no twos" } } }, { step.failed_tasks, step.tasks.errors })
  end)

  describe("retry", function()
    local function fail_shaky()
      local run_id = here.db:start("shaky", "[1]")
      assert.equal("failed", here.db:await_run(run_id).status)
      return run_id
    end

    it("goes on from what failed", function()
      local run_id = fail_shaky()
      here.root:write("repaired", "")
      finally(function() files.remove(here.root:at "repaired") end)
      local out, err = succeed("retry", run_id)
      assert.equal("", err)
      local new_id = out:match "^(%S+)\n$"
      assert.same({ "completed", { use = { 1 } } }, { here.db:await_run(new_id).status, here.db:await_run(new_id).output })
      assert.same({ 1, 2 }, { count_notes "find", count_notes "use" })

      assert_says(succeed("run", new_id), "a retry of " .. run_id .. "\n", "find    kept from the retried run: ")
      assert_says(succeed("run", run_id), "retried as " .. new_id .. "\n", "it is broken")
      assert.equal(run_id, cjson.decode((succeed("run", new_id, "--json"))).run.restart_of_run_id)
    end)

    it("gives the same run again, and says so", function()
      local run_id = fail_shaky()
      local new_id = succeed("retry", run_id)
      local again, err = succeed("retry", run_id)
      assert.equal(new_id, again)
      new_id = new_id:match "%S+"
      assert_says(err, "run " .. run_id .. " was already retried, as run " .. new_id .. ", which ")
      assert.equal(new_id, cjson.decode((succeed("retry", run_id, "--json"))).run_id)
      assert.equal("failed", here.db:await_run(new_id).status)
      assert_says(select(2, succeed("retry", run_id)), "which has failed too; no further run was started\n",
        "hint: luaflow retry " .. new_id .. " retries that one\n")
      assert.not_equal(new_id, (succeed("retry", new_id)))
      here.db:await_runs()
    end)

    it("--wait follows the new run to its end", function()
      local run_id = fail_shaky()
      assert_refused(luaflow("retry", run_id, "--wait"), 1, "failed at step use: ", "it is broken")
      here.root:write("repaired", "")
      finally(function() files.remove(here.root:at "repaired") end)
      local second = here.db:text("select r.run_id from pgflow.runs r where r.restart_of_run_id = :'id'", { id = run_id })
      assert.equal('{"use": [1]}\n', (succeed("retry", second, "--wait")))
    end)

    it("refuses runs that did not fail", function()
      local done = here.db:start "quick"
      here.db:await_run(done)
      assert_refused(luaflow("retry", done), 1, done .. " cannot be retried: it is completed", "only a run that is failed or cancelled")
      assert_refused(luaflow("retry", UNKNOWN_ID), 1, "there is no run " .. UNKNOWN_ID, "luaflow runs --status failed")
      assert_refused(luaflow("retry", "nonsense"), 2, '"nonsense" is not a run id')
    end)
  end)

  it("types --from-runs infers what runs were given and returned, and writes no value", function()
    assert.equal("completed", here.db:await_run(here.db:start("quick", '{"customer": {"name": "Ada"}, "lines": [1, 2.5]}')).status)
    succeed("types", here.root:at "flows", "-o", here.root:at "types", "--from-runs")
    local text = files.read(here.root:at "types/quick.lua")
    local index = luacats.index(text)
    assert.same({ "quick.Input.customer", "number[]", "string" }, {
      index:field("quick.Input", "customer"), index:field("quick.Input", "lines"), index:field("quick.Input.customer", "name"),
    })
    assert.same({ "integer" }, index.aliases["quick.only.Output"])
    assert.is_nil(text:find("Ada", 1, true))
  end)

  it("run says why steps were skipped", function()
    local run_id = here.db:start("choosy", '{"express": false}')
    here.db:await_run(run_id)
    assert_says(succeed("run", run_id), "extra    skipped: its condition is not met\n", "frail    skipped: its handler failed  ",
      "no luck\n", "late  skipped: a step that it needs was skipped\n")
  end)

  it("run shows one moment, though reading it takes long", function()
    local run_id = start_long()
    files.write(here.root:at "holder.sql", HOLDER)
    local holder = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "run_id=" .. run_id,
        "-d", here.db.conninfo, "-f", here.root:at "holder.sql" },
      name = "holder", alone = true,
    }
    wait.till(function() return holder:output():find("holding", 1, true) end, 30, "the lock")
    local tree = succeed("run", run_id)
    assert.same({ code = 0 }, holder:wait(20))
    holder:forget()
    local run, work = tree:match "^(.-)\n(.-)\n"
    assert_says(run, "started")
    assert_says(work, "running")
    assert.is_true(duration_of(work) <= duration_of(run), tree)
    assert_says(succeed("run", run_id), "cancelled")
  end)

  describe("prune", function()
    -- Makes the runs of a flow that old.
    local function age(flow, interval)
      here.db:text([[
        update pgflow.runs set started_at = started_at - :'age'::interval, completed_at = completed_at - :'age'::interval,
          failed_at = failed_at - :'age'::interval, cancelled_at = cancelled_at - :'age'::interval
        where flow_slug = :'flow']], { flow = flow, age = interval })
    end

    local function count(flow)
      return here.db:number("select count(*) from pgflow.runs r where r.flow_slug = :'flow'", { flow = flow })
    end

    it("removes runs that ended long ago, a batch at a time, and no others", function()
      here.db:start_all("quick", "[1, 2, 3, 4, 5, 6, 7]")
      here.db:await_runs()
      age("quick", "10 days")
      local old = count "quick"
      local young, active = here.db:start "quick", start_long()
      here.db:await_run(young)
      assert.equal("0 runs deleted\n", (succeed("prune", "--older-than", "2w")))
      assert.equal(old .. " runs deleted\n", (succeed("prune", "--older-than", "9d", "--batch", "3")))
      assert.equal(1, count "quick")
      assert.equal('{"removed_runs": 0}\n', (succeed("prune", "--older-than", "216h", "--json")))
      succeed("cancel", active)
      assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks t where t.run_id not in (select r.run_id from pgflow.runs r)")
      here:assert_consistent()
    end)

    it("wants an age with a unit", function()
      assert_refused(luaflow "prune", 2, "--older-than is missing")
      assert_refused(luaflow("prune", "--older-than", "30"), 2, "--older-than 30 has no unit", "30d is 30 days")
      assert_refused(luaflow("prune", "--older-than", "soon"), 2, "--older-than must be a time")
      assert_refused(luaflow("prune", "--older-than", "-1d"), 2, "--older-than must be a time")
      assert_refused(luaflow("prune", "--older-than", "1d", "--batch", "0"), 2, "--batch")
    end)
  end)

  it("need a database with the schema", function()
    for _, words in ipairs { { "cancel", UNKNOWN_ID }, { "retry", UNKNOWN_ID }, { "prune", "--older-than", "1d" } } do
      words[#words + 1] = "--database"
      words[#words + 1] = here.db.conninfo:gsub("dbname=luaflow_spec%S+", "dbname=postgres")
      assert_refused(here:luaflow(words), 6, "this database has no luaflow schema", "luaflow migrate installs it")
      words[#words] = "host=/nowhere/at/all"
      assert_refused(here:luaflow(words), 6, "database: ")
    end
  end)

  it("cancel on a terminal tells the same", function()
    local run_id = start_long()
    local shown = process.spawn {
      argv = { process.luaflow(), "cancel", run_id }, name = "cancel", env = { DATABASE_URL = here.db.conninfo }, terminal = true,
    }
    assert.same({ code = 0 }, shown:wait(20))
    assert_says(shown:output(), "is cancelled; 1 running task is asked to stop")
    shown:forget()
  end)
end)
