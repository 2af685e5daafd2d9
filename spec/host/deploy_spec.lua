-- From a worker's start to its first claim: what is refused, and with which exit code, and what is waited for.
local cjson = require "cjson"
local database = require "spec.support.database"
local files = require "spec.support.files"
local lfs = require "lfs"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"
local worker = require "spec.support.worker"

local assert_says = require("spec.support.said").assert_says

local ORDER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "order", timeout = 30 }
  :step({ slug = "check" }, function(input) return input end)
  :step({ slug = "pack", depends_on = { "check" } }, function(deps) return deps.check end)
]]

-- The same slug with another graph.
local CHANGED_ORDER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "order", timeout = 30 }
  :step({ slug = "check" }, function(input) return input end)
  :array({ slug = "lines" }, function() return {} end)
  :map({ slug = "pack", array = "lines", when_exhausted = "skip" }, function(line) return line end)
]]

-- One worker function with a flow that is new and the changed one.
local TWO_FLOWS = [[
local luaflow = require "luaflow"
local fresh = luaflow.flow { slug = "fresh" }:step({ slug = "only" }, function() return 1 end)
return luaflow.worker { queue = "order", name = "both", flows = {
  luaflow.deploy(fresh, { routes = { only = "order" } }), luaflow.deploy(require "flows.order", {}),
} }
]]

local ECHO = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "echo" }:step({ slug = "only" }, function(input) return input end)
]]

local BROKEN = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "broken", timeuot = 5 }
  :step({ slug = "one" }, function() return 1 end)
  :step({ slug = "two", depends_on = { "oen" } }, function() return 2 end)
]]

describe("a worker's start", function()
  local here

  before_each(function()
    here = scene.open { ["flows/order.lua"] = ORDER, ["other/echo.lua"] = ECHO }
  end)

  after_each(function() here:close() end)

  -- A worker that ends by itself; its standard error and its exit code.
  local function refusal(options, db)
    options.args = options.args or {}
    table.insert(options.args, "--executors=1")
    return here:refusal(options, db)
  end

  describe("with another shape under a known slug", function()
    before_each(function()
      here:worker { args = { "--executors", "1" } }
      here.db:complete("order", "1")
      here:stop_workers()
    end)

    it("ends with 4, says what differs, and changes nothing", function()
      here.root:write("flows/order.lua", CHANGED_ORDER)
      here.root:write("flows/both.lua", TWO_FLOWS)
      local before = here.db:definitions()
      local text, code = refusal { args = { "--queue", "order", "--log-format", "text" } }
      assert.equal(4, code, text)
      assert_says(text, "luaflow: deploy: refused, nothing was changed\n",
        "  order: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug\n",
        "    Step count: in the modules 3, in the database 2\n",
        "    Step at index 1: slug: in the modules 'lines', in the database 'pack'\n",
        "    Step at index 1: depends_on: in the modules [], in the database [check]\n",
        "    Step at index 2: missing in the database (the modules have 'pack')\n")
      assert.equal(before, here.db:definitions())
    end)

    it("ends with 4 too if its own shape also leaves a stored step uncovered", function()
      here.root:write("flows/order.lua", (ORDER:gsub('"pack"', '"send"')))
      local text, code = refusal { args = { "--queue", "order", "--log-format", "text" } }
      assert.equal(4, code, text)
      assert_says(text, "order: shape_mismatch", "order: uncovered")
    end)

    it("says it in JSON where the log is JSON", function()
      here.root:write("flows/order.lua", CHANGED_ORDER)
      local before = here.db:definitions()
      local text, code = refusal { args = { "--queue", "order" } }
      assert.equal(4, code, text)
      local told
      for line in text:gmatch "[^\n]+" do
        local entry = cjson.decode(line)
        if entry.verb == "deployment_refused" then told = entry end
      end
      assert.same({ "order", "shape_mismatch", "error" }, { told.flow, told.status, told.level })
      assert.equal("Step count: in the modules 3, in the database 2", told.differences[1])
      assert.equal(before, here.db:definitions())
    end)

    it("takes new runtime options, which are no part of the shape, and logs and keeps each change", function()
      local text = ORDER:gsub("timeout = 30", "timeout = 7"):gsub('slug = "pack",', 'slug = "pack", max_attempts = 9,')
      here.root:write("flows/order.lua", text)
      local again = here:worker { args = { "--executors", "1" } }
      assert.equal("verified", again:log("deployed_flow")[1].status)
      assert.equal(7, here.db:number "select f.opt_timeout from pgflow.flows f where f.flow_slug = 'order'")
      local changes = again:log "option_changed"
      assert.same({ "warn", "order: timeout 30 -> 7 s", "order.pack: max_attempts the flow's -> 9" },
        { changes[1].level, changes[1].change, changes[2].change })
      assert_says(here:succeed "flows", "order.pack: max_attempts the flow's -> 9 (", " ago)")
      assert_says(here:succeed("flows", "--json"), '"option_changed_by": "order"')
    end)

    it("ends with 4 if a step has lost its transaction, or became an array", function()
      here.root:write("flows/paid.lua", (ORDER:gsub('"order"', '"paid"'):gsub('slug = "pack",', 'slug = "pack", transaction = true,')))
      here:worker { args = { "--queue", "paid", "--executors", "1" } }
      here:stop_workers()
      here.root:write("flows/paid.lua", (ORDER:gsub('"order"', '"paid"'):gsub(":step%({ slug = \"check\"", ":array({ slug = \"check\"")))
      local text, code = refusal { args = { "--queue", "paid", "--log-format", "text" } }
      assert.equal(4, code, text)
      assert_says(text, "  paid: shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug\n",
        "    Step at index 0: kind: in the modules 'array', in the database 'single'\n",
        "    Step at index 1: transaction: in the modules 'false', in the database 'true'\n")
    end)

    it("takes it under a slug of its own", function()
      here.root:write("flows/order.lua", (CHANGED_ORDER:gsub('"order"', '"order_v2"')))
      here:worker { args = { "--executors", "1" } }
      assert.equal('{"pack": [], "check": 2}', here.db:complete("order_v2", "2").output_text)
    end)
  end)

  describe("without the right schema", function()
    it("ends with 6 where there is none", function()
      local empty = database.create()
      local text, code = refusal({}, empty)
      empty:drop()
      assert.equal(6, code, text)
      assert_says(text, "luaflow: database: the schema pgflow is missing", "hint: run `luaflow migrate`")
    end)

    it("ends with 6 where somebody else made it, in the words of migrate", function()
      local foreign = database.create()
      foreign:text "create schema pgflow; create table pgflow.runs (id int)"
      local text, code = refusal({}, foreign)
      local migrate = here:luaflow { "migrate", "--database", foreign.conninfo }
      foreign:drop()
      assert.equal(6, code, text)
      assert_says(text, migrate.err)
    end)

    it("ends with 6 where it is too new, as every command does", function()
      here.db:text [[
        insert into pgflow.migrations (version, name, checksum, oldest_program) values (9999, 'future', 'x', '99.1.0')]]
      local text, code = refusal {}
      assert.equal(6, code, text)
      assert_says(text, "needs luaflow 99.1.0 or newer", "hint: ")
      assert.equal(0, here.db:number "select count(*) from pgflow.flows")
      for _, words in ipairs { { "start", "order" }, { "runs" }, { "migrate" } } do
        local result = here:luaflow(words)
        assert.same({ 6, "" }, { result.code, result.out }, result.err)
        assert_says(result.err, "9999", "hint: ")
      end
    end)

    it("works with a newer one that still suits it", function()
      here.db:text [[
        insert into pgflow.migrations (version, name, checksum, oldest_program) values (9999, 'future', 'x', '0.0.1')]]
      here:worker { args = { "--executors", "1" } }
      assert.equal("completed", here.db:complete("order", "1").status)
      assert.equal(0, here:luaflow({ "runs" }).code)
    end)
  end)

  describe("with a wrong choice", function()
    it("of the queue ends with 2 and names those that there are", function()
      here.root:write("flows/echo.lua", ECHO)
      local text, code = refusal { args = { "--queue", "ordr" } }
      assert.equal(2, code, text)
      assert_says(text, "--queue: no flow uses the queue ordr; they use: echo, order", "hint: did you mean order? give one of these queues")
      text, code = refusal {}
      assert.equal(2, code, text)
      assert_says(text, "several queues: echo, order", "hint: choose one with --queue")
      assert.equal(0, here.db:number "select count(*) from pgflow.worker_functions")
    end)

    it("of modules ends with 3 and names every problem, before any database is needed", function()
      here.root:write("flows/broken.lua", BROKEN)
      local text, code = refusal({ args = { "--queue", "order" } }, { conninfo = "host=/nowhere/at/all" })
      assert.equal(3, code, text)
      assert_says(text, "flows/broken.lua:", "[unknown_option]", '"timeout"', "[unknown_dependency]", '"one"')
    end)
  end)

  describe("without its database", function()
    -- The worker must be seen waiting before, and working after.
    local function assert_waits(db, appear)
      local waiting = worker.launch(db, here.root, { args = { "--executors", "1" } })
      table.insert(here.workers, waiting)
      waiting:await_log "database_lost"
      wait.pause(1)
      assert.is_nil(waiting.process:poll())
      assert.same({}, waiting:log "running")
      appear()
      waiting:await_log("running", 10)
      assert.equal("completed", here.db:complete("order", "1").status)
    end

    it("waits for one that does not exist yet", function()
      here.db:drop()
      assert_waits(here.db, function() here.db:make "luaflow_template" end)
    end)

    it("waits for a server whose socket is not there yet", function()
      local host = database.admin():match "host=(/%S+)"
      assert(host, "the test server must be reached by a socket's folder")
      local link = here.root:at "sockets"
      local conninfo = ("%s host=%s"):format(here.db.conninfo, link)
      assert_waits({ conninfo = conninfo }, function() assert(lfs.link(host, link, true)) end)
    end)

    it("says once which right its role lacks, and waits for it", function()
      here.db:text "drop role if exists spec_poor; create role spec_poor login"
      local waiting = here:launch { database = here.db.conninfo .. " user=spec_poor", args = { "--executors", "1" } }
      local told = waiting:await_log "rights_missing"
      assert.truthy(told.hint:find("`grant pgflow_worker to spec_poor`", 1, true), told.hint)
      wait.pause(1.5)
      assert.same({ 1, 0 }, { #waiting:log "rights_missing", #waiting:log "database_lost" })
      here.db:text "grant pgflow_worker to spec_poor"
      waiting:await_log "running"
      waiting:await_log "rights_given"
      assert.equal("completed", here.db:complete("order", "1").status)
      here:stop_workers()
      here.db:text "drop role spec_poor"
    end)

    it("logs what it has deployed once a lock is free, and at the end what it could not write", function()
      here:worker { args = { "--executors", "1" } }
      here:stop_workers()
      local holder = process.spawn {
        argv = {
          "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; select pgflow.retire_alias('order')", "-c", "select pg_sleep(60)",
        },
      }
      wait.till(function()
        return here.db:sessions "a.query = 'select pg_sleep(60)'" == 1
      end, 30, "the lock to be held")
      local waiting = here:launch { args = { "--executors", "1" } }
      assert.equal("55P03", waiting:await_log("deployment_failed", 30).sqlstate)
      holder:kill()
      holder:forget()
      here.db:end_sessions "a.query = 'select pg_sleep(60)'"
      waiting:await_log("running", 30)
      local deployed = waiting:log "deployed_flow"
      assert.same({ 1, "order", "verified" }, { #deployed, deployed[1].flow, deployed[1].status })

      here.db:text "drop function pgflow.mark_worker_stopped cascade"
      waiting.process:signal(process.SIGTERM)
      assert.same({ code = 0 }, waiting.process:wait(20))
      local unmarked = waiting:log("not_marked_stopped")[1]
      assert_says(unmarked.error, "mark_worker_stopped")
      assert_says(unmarked.hint, "luaflow ")
    end)

    it("ends at once when it is told to", function()
      local waiting = worker.launch({ conninfo = "host=/nowhere/at/all" }, here.root)
      waiting:await_log "database_lost"
      waiting.process:signal(process.SIGTERM)
      assert.same({ code = 0 }, waiting.process:wait(10))
      waiting.process:assert_gone()
      waiting.process:forget()
    end)
  end)

  describe("under the fence", function()
    local function switch(enabled)
      here.db:text([[
        insert into pgflow.worker_functions (function_name, enabled) values ('order', :enabled)
        on conflict (function_name) do update set enabled = excluded.enabled]], { enabled = enabled })
    end

    it("waits while its function is disabled, and starts soon after it is enabled", function()
      here:worker { args = { "--executors", "1" } }
      here:stop_workers()
      local run_id = here.db:start("order", "1")
      switch "false"
      local fenced = here:launch { args = { "--executors", "1" } }
      fenced:await_log "fenced"
      wait.pause(2.5)
      assert.same({ 1, 0 }, { #fenced:log "fenced", #fenced:log "running" })
      assert.equal("queued", here.db:text "select t.status from pgflow.step_tasks t")
      assert.equal(0, here.db:number "select count(*) from pgflow.workers w where w.stopped_at is null")
      switch "true"
      local enabled = wait.now()
      fenced:await_log("running", 20)
      assert.is_true(wait.now() - enabled < 6, ("it took %.1f s"):format(wait.now() - enabled))
      assert.equal("completed", here.db:await_run(run_id).status)
    end)

    it("deploys nothing, and ends when it is told to", function()
      switch "false"
      local fenced = here:launch { args = { "--executors", "1" } }
      fenced:await_log "fenced"
      assert.equal(0, here.db:number "select (select count(*) from pgflow.flows) + (select count(*) from pgmq.meta)")
      fenced.process:signal(process.SIGTERM)
      assert.same({ code = 0 }, fenced.process:wait(10))
    end)
  end)
end)

describe("luaflow migrate", function()
  local here

  before_each(function() here = scene.open { ["flows/order.lua"] = ORDER } end)

  after_each(function() here:close() end)

  local function launch_migrate(db)
    return process.spawn { argv = { process.luaflow(), "migrate", "--database", db.conninfo }, name = "migrate" }
  end

  -- How many migrations it says it has applied.
  local function applied_by(migrate)
    assert.same({ code = 0 }, migrate:wait(60), migrate:errors())
    local applied = migrate:output():match "(%d+) migrations? applied"
    migrate:forget()
    return tonumber(applied)
  end

  local function assert_recorded_once(db)
    local recorded = db:row "select count(*) as rows, count(distinct m.version) as versions from pgflow.migrations m"
    assert.equal(recorded.rows, recorded.versions)
    assert.equal(0, db:number "select d.deadlocks from pg_stat_database d where d.datname = current_database()")
    return recorded.rows
  end

  it("three times at once on an empty database applies everything once", function()
    local empty = database.create()
    local migrates = {}
    for i = 1, 3 do migrates[i] = launch_migrate(empty) end
    local applied = 0
    for _, each in ipairs(migrates) do applied = applied + applied_by(each) end
    local recorded = assert_recorded_once(empty)
    assert.is_true(recorded >= 1)
    assert.equal(recorded, applied)
    local before = here.db
    here.db = empty
    here:worker { args = { "--executors", "1" } }
    assert.equal("completed", empty:complete("order", "1").status)
    here:stop_workers()
    here.db = before
    empty:drop()
  end)

  it("disturbs neither a worker that polls nor runs that go on", function()
    local busy = here:worker { args = { "--executors", "1" } }
    here.root:write("client.sql", [[
      do $$
      begin
        for i in 1 .. 200 loop
          perform pgflow.start_flow('order', to_jsonb(i));
          commit;
          perform pg_sleep(0.005);
        end loop;
      end $$;]])
    local client = process.spawn {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", here.db.conninfo, "-f", here.root:at "client.sql" }, name = "client",
    }
    local rounds = 0
    repeat
      local migrates = { launch_migrate(here.db), launch_migrate(here.db) }
      for _, each in ipairs(migrates) do assert.equal(0, applied_by(each)) end
      rounds = rounds + 1
    until client:poll()
    assert.same({ code = 0 }, client:wait(30), client:errors())
    client:forget()
    here.db:await_runs(20)
    assert.is_true(rounds >= 2)
    assert.equal(200, here.db:number [[
      select count(*) from pgflow.runs r where r.status = 'completed' and r.output ->> 'pack' = r.input::text]])
    assert_recorded_once(here.db)
    for line in busy.process:errors():gmatch "[^\n]+" do
      assert.is_nil(line:find('"level":"error"', 1, true) or line:find('"level":"warn"', 1, true), line)
    end
    assert.equal(0, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count > 1")
  end)

  it("leaves a schema alone that it did not make", function()
    local foreign = database.create()
    foreign:text "create schema pgflow; create table pgflow.runs (id int)"
    local result = here:luaflow { "migrate", "--database", foreign.conninfo }
    assert.same({ 6, "" }, { result.code, result.out })
    assert.truthy(result.err:find("was not created by luaflow", 1, true), result.err)
    assert.equal("runs", foreign:text "select string_agg(c.relname, ',') from pg_class c where c.relnamespace = 'pgflow'::regnamespace")
    foreign:drop()
  end)

  it("prints the SQL and touches nothing with --print", function()
    local result = here:luaflow({ "migrate", "--print" }, { env = { DATABASE_URL = "host=/nowhere/at/all" } })
    assert.equal(0, result.code, result.err)
    local script = here.root:at "schema.sql"
    files.write(script, result.out)
    local empty = database.create()
    local applied = process.run {
      argv = { "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", empty.conninfo, "-c", "create extension pgmq", "-f", script },
      env = { PGOPTIONS = "-c client_min_messages=warning" },
    }
    assert.same({ 0, "" }, { applied.code, applied.err })
    local migrate = launch_migrate(empty)
    assert.equal(0, applied_by(migrate))
    empty:drop()
  end)
end)
