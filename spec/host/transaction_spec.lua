-- Steps with transaction = true: what a handler writes is committed together with the task's completion, or not at all.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local proxy = require "spec.support.proxy"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- One statement for each in `before`, then what `how` says.
local FLOWS = [[
local luaflow = require "luaflow"
local kept
local function note(ctx)
  local file = io.open(ctx.env.SPEC_FOLDER .. "/ran", "a")
  file:write(ctx.attempt, "\n")
  file:close()
end
local how = {
  returns = function(input) return input.output end,
  raises = function() error "on purpose" end,
  fails = function() luaflow.fail "for good" end,
  snoozes = function(_, ctx) if ctx.attempt == 1 and not kept then kept = true luaflow.snooze(0, "later") end return "woken" end,
  sleeps = function(_, ctx) ctx:sleep(60) end,
  writes_twice = function(_, ctx)
    ctx.tx:query "insert into spec_transfers values (1)"
    ctx:sleep(1)
    ctx.tx:query "insert into spec_transfers values (2)"
  end,
  opens_late = function(_, ctx)
    ctx:sleep(1)
    local ok, e = pcall(function() return ctx.tx:query "select 1" end)
    ctx:log("info", "opened", { ok = ok, said = e.message })
    ctx:sleep(2)
  end,
  asks = function(_, ctx) return ctx:query "select 1" end,
  naps = function(_, ctx) ctx:sleep(1) return "rested" end,
  runs = function(input, ctx) return ctx.tx:query(input.sql) end,
  runs_own = function(input, ctx) return ctx.tx:query(input.sql:format(ctx.run_id)) end,
  swallows = function(input, ctx)
    local errors = luaflow.array()
    for i, sql in ipairs(input.list) do
      local ok, e = pcall(function() return ctx.tx:query(sql) end)
      errors[i] = ok and "ok" or e.sqlstate .. " " .. e.message
    end
    ctx:log("info", "swallowed", { errors = errors })
    return errors
  end,
  forges = function(input)
    local ffi = require "ffi"
    ffi.cdef "ssize_t write(int, const void *, size_t);"
    local function u32(n) return ffi.string(ffi.new("uint32_t[1]", n), 4) end
    local number = ffi.string(ffi.new("uint64_t[1]", require("luaflow.host").task()), 8)
    for _, frame in ipairs(input.frames) do
      local payload = frame.hex:gsub("%x%x", function(digits) return string.char(tonumber(digits, 16)) end)
      local bytes = u32(#payload) .. u32(frame.type) .. number .. payload
      ffi.C.write(3, bytes, #bytes)
    end
    while true do end
  end,
  keeps = function(_, ctx) kept = ctx return "kept" end,
  uses_kept = function(_, ctx)
    local ok, e = pcall(function() return kept.tx:query "select 1" end)
    local other, f = pcall(function() return kept:query "select 1" end)
    return { ok, e, other, f }
  end,
}
local function handler(input, ctx)
  note(ctx)
  for _, sql in ipairs(input.before or {}) do ctx.tx:query(sql) end
  return how[input.how](input, ctx)
end
return {
  luaflow.flow { slug = "moves", max_attempts = 2, base_delay = 0, timeout = 3 }:step({ slug = "move", transaction = true }, handler),
  -- On the queue of moves.
  luaflow.deploy(luaflow.flow { slug = "hurries", max_attempts = 2, base_delay = 0, timeout = 1 }
    :step({ slug = "move", transaction = true }, handler), { routes = { move = "moves" } }),
  luaflow.flow { slug = "freezes", timeout = 3600 }:step({ slug = "move", transaction = true }, function(sql, ctx)
    ctx.tx:query(sql)
    ctx:sleep(ctx.attempt == 1 and 3000 or 0)
  end),
  luaflow.flow { slug = "plain", max_attempts = 1 }:step({ slug = "move" }, handler),
  luaflow.flow { slug = "lists", max_attempts = 1 }
    :step({ slug = "move", transaction = true }, handler)
    :map({ slug = "each", array = "move" }, function(element) return element end),
  -- On the queue of moves.
  luaflow.deploy(luaflow.flow { slug = "holds", timeout = 20 }:step({ slug = "hold", transaction = true }, function(_, ctx)
    ctx.tx:query "select 1"
    note(ctx)
    ctx:sleep(5)
  end), { routes = { hold = "moves" } }),
  -- From two sides, so that they meet.
  luaflow.flow { slug = "crosses", max_attempts = 1, timeout = 20 }:step({ slug = "move", transaction = true }, function(input, ctx)
    note(ctx)
    ctx.tx:query("update spec_moved set n = n + 1 where v = $1", input[1])
    ctx:sleep(0.5)
    ctx.tx:query("update spec_moved set n = n + 1 where v = $1", input[2])
    return "crossed"
  end),
}
]]

local TRANSFERS = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "transfers", max_attempts = 50, base_delay = 0, timeout = 10 }
  :map({ slug = "transfer", transaction = true }, function(n, ctx)
    ctx.tx:query("insert into spec_transfers values ($1)", n)
    ctx.tx:query("update spec_moved set n = n + case v when 'a' then -$1::int else $1::int end", 1)
    return n
  end)
]]

local INSERT = "insert into spec_moved (v) values ('x')"

describe("a transactional step", function()
  local here, between, queue

  before_each(function()
    here = scene.open { ["flows/moves.lua"] = FLOWS, ["flows/transfers.lua"] = TRANSFERS }
    here.db:text [[
      create table spec_moved (v text primary key, n int not null default 0);
      create table spec_transfers (n int)]]
    queue = "moves"
  end)

  after_each(function()
    here:stop_workers()
    here:assert_consistent()
    assert.equal(0, here.db:number "select count(*) from pgflow.open_transactions")
    here:close()
    if between then between:close() end
    between = nil
  end)

  local function worker(options, ...)
    local args = { "--queue", queue, "--executors", "1", ... }
    return here:worker { args = args, database = options and options.database, env = options and options.env }
  end

  local function start(input, flow) return here.db:start(flow or "moves", cjson.encode(input)) end

  local function run(input, flow) return here.db:await_run(start(input, flow)) end

  local function moved() return here.db:text "select string_agg(m.v || m.n, ',' order by m.v) from spec_moved m" end

  local function ran() return #files.lines(here.root:at "ran") end

  local function error_message() return here.db:text "select t.error_message from pgflow.step_tasks t" end

  it("commits what it wrote with its completion, in one transaction", function()
    worker()
    local row = run { before = { INSERT }, how = "returns", output = { 1, "two" } }
    assert.same({ "completed", '{"move": [1, "two"]}', "x0" }, { row.status, row.output_text, moved() })
    assert.equal("t", here.db:text [[
      select t.xmin = m.xmin from pgflow.step_tasks t, spec_moved m]])
  end)

  it("completes without having written anything", function()
    worker()
    assert.equal('{"move": null}', run({ how = "returns" }).output_text)
  end)

  it("undoes what it wrote when it fails", function()
    worker()
    assert.equal("failed", run({ before = { INSERT }, how = "raises" }).status)
    assert.truthy(error_message():find "on purpose")
    assert.same({ 2, "" }, { ran(), moved() })
    assert.equal("failed", run({ before = { INSERT }, how = "fails" }).status)
    assert.same({ 3, "" }, { ran(), moved() })
    assert.equal("completed", run({ before = { INSERT }, how = "snoozes" }).status)
    assert.same({ 5, "x0" }, { ran(), moved() })
  end)

  it("undoes what it wrote at its deadline, in a statement or between two", function()
    worker(nil, "--handler-connections", "1")
    for _, input in ipairs { { how = "sleeps" }, { how = "runs", sql = "select pg_sleep(60)" } } do
      input.before = { INSERT }
      assert.truthy(run(input, "hurries").error_message:find "timed out after 1 s")
    end
    assert.equal("", moved())
    assert.equal("completed", run({ before = { INSERT }, how = "returns" }).status)
  end)

  it("undoes what it wrote when its executor dies", function()
    local host = worker()
    local run_id = start { before = { INSERT }, how = "sleeps" }
    wait.till(function() return ran() == 1 end, 20, "the handler to run")
    wait.pause(0.3)
    for _, pid in ipairs(host.process:living()) do
      if pid ~= host.process.pid then process.send(pid, process.SIGKILL) end
    end
    host:await_log "executor_died"
    assert.equal("failed", here.db:await_run(run_id).status) -- released, and late twice
    assert.equal("", moved())
  end)

  for _, sql in ipairs { "commit", "rollback", "commit and chain", "rollback and chain", "abort", "end",
    "prepare transaction 'spec'", "do $$ begin commit; end $$" } do
    it("keeps nothing when its handler runs " .. sql, function()
      local host = worker()
      local row = run { before = { INSERT }, how = "swallows", list = { sql, "insert into spec_moved (v) values ('y')" } }
      assert.equal("failed", row.status)
      assert.equal("", moved())
      local told = row.error_message .. cjson.encode(host:await_log("log").fields.errors)
      assert.truthy(told:find("must not end the transaction", 1, true) or told:find("its handler has ended the transaction", 1, true)
        or told:find("invalid transaction termination", 1, true), told)
      assert.equal(0, here.db:number "select count(*) from pg_prepared_xacts")
    end)
  end

  it("keeps nothing when its handler changes the encoding of its session", function()
    local host = worker()
    for _, sql in ipairs { "set client_encoding = latin1", "set local client_encoding = 'SQL_ASCII'",
      "select set_config('client_encoding', 'latin1', false), 'é'" } do
      for _, how in ipairs { "runs", "swallows" } do
        local row = run { before = { INSERT }, how = how, sql = sql, list = { sql, "reset client_encoding" } }
        assert.equal("failed", row.status, sql)
        assert.truthy(row.error_message:find("the handler changed client_encoding to %u+[%u%d_]*: luaflow needs UTF8"), row.error_message)
        assert.equal("", moved())
      end
    end
    assert.equal("completed", run({ how = "returns", output = "é" }).status)
    assert.is_nil(host:log("executor_died")[1])
  end)

  it("is completed as ever where its handler changes how values are written", function()
    queue = "lists"
    worker()
    local list = {
      "set datestyle = 'SQL, DMY'", "set intervalstyle = 'sql_standard'", "set timezone = 'Asia/Tokyo'", "set array_nulls = off",
      "set bytea_output = 'escape'", "set extra_float_digits = -15",
      "set quote_all_identifiers = on", "set lc_monetary = 'C'", "set transform_null_equals = on", "set search_path = ''",
    }
    local output = { "é\\n\\", 0.1, "2026-11-30" }
    local row = run({ before = list, output = output, how = "returns" }, "lists")
    assert.equal("completed", row.status, row.error_message)
    assert.same(output, row.output.each)
  end)

  it("is completed whatever its handler sets, or fails at once and says why it cannot be", function()
    local host = worker()
    local others = {
      "standard_conforming_strings = off", "role = pgflow_reader", "row_security = off", "session_replication_role = replica",
      "lock_timeout = 1", "statement_timeout = 1", "backslash_quote = off", "search_path = pg_temp, public", "xmloption = document",
      "plpgsql.extra_errors = 'all'", "plpgsql.variable_conflict = use_column", "default_transaction_read_only = on",
      "default_transaction_isolation = serializable", "client_min_messages = debug1",
      "quote_all_identifiers = on", "check_function_bodies = off", "enable_indexscan = off", "work_mem = 64", "temp_buffers = 100",
      "exit_on_error = on", "synchronous_commit = off", "jit = off", "array_nulls = off", "timezone = 'Asia/Tokyo'",
      "idle_in_transaction_session_timeout = 10000", "session authorization pgflow_reader",
    }
    local inputs = {}
    for _, setting in ipairs(others) do
      for _, prefix in ipairs { "set ", "set local " } do
        inputs[#inputs + 1] = { before = { prefix .. setting }, how = "returns", output = prefix .. setting .. " \\ é" }
      end
    end
    here.db:start_all("moves", cjson.encode(inputs))
    here.db:await_runs(90)
    assert.equal("", here.db:text [[
      select string_agg(r.input::text || ': ' || r.error_message, e'\n') from pgflow.runs r where r.status <> 'completed']])
    assert.equal(#inputs, here.db:number [[
      select count(*) from pgflow.step_tasks t join pgflow.runs r using (run_id)
      where t.attempts_count = 1 and t.output = r.input -> 'output']])
    for _, sql in ipairs { "set transaction read only", "set local transaction_read_only = on" } do
      local row = run { before = { INSERT, sql }, how = "returns" }
      assert.same({ "failed", "the handler of step move made its transaction read-only, so the task could not be completed inside it: " ..
        "remove `set transaction read only` from its statements" }, { row.status, row.error_message })
    end
    assert.equal("", moved())
    assert.equal(2, #host:log "attempt_failed")
    local row = run { before = { "set constraints all immediate" }, how = "returns" }
    assert.truthy(row.error_message:find "commits only together with its completion", row.error_message)
  end)

  it("says that nothing can be done after an error, and that it cannot complete", function()
    local host = worker()
    local row = run { how = "swallows", list = { INSERT, INSERT, "select 1" } }
    assert.equal("failed", row.status)
    local errors = host:await_log("log").fields.errors
    assert.equal("ok", errors[1])
    assert.truthy(errors[2]:find "^23505 duplicate key")
    assert.truthy(errors[3]:find "^25P02 the transaction was aborted by an earlier error %(duplicate key", errors[3])
    assert.truthy(row.error_message:find "the transaction was rolled back: duplicate key", row.error_message)
    assert.equal("", moved())
  end)

  it("may guard a statement with a savepoint", function()
    worker()
    local row = run { before = { INSERT, "savepoint s" }, how = "swallows", list = { INSERT, "rollback to s" } }
    assert.same({ "completed", "x0" }, { row.status, moved() })
  end)

  it("fails with the server's words when its commit is refused", function()
    local host = worker()
    here.db:text [[
      create table spec_parent (v text primary key);
      alter table spec_moved add foreign key (v) references spec_parent deferrable initially deferred]]
    local row = run { before = { INSERT }, how = "returns" }
    assert.equal("failed", row.status)
    assert.truthy(error_message():find 'the transaction did not commit: .*foreign key.*: Key %(v%)=%(x%) is not present', error_message())
    assert.is_nil(host.process:errors():find("(v)=(x)", 1, true)) -- values are not logged
    assert.equal("", moved())
  end)

  it("undoes what it wrote when its output is of the wrong type", function()
    queue = "lists"
    worker()
    local row = run({ before = { INSERT }, how = "returns", output = { a = 1 } }, "lists")
    assert.same({ "failed", "" }, { row.status, moved() })
    assert.truthy(error_message():find("TYPE_VIOLATION", 1, true))
    assert.equal("completed", run({ before = { INSERT }, how = "returns", output = { 1, 2 } }, "lists").status)
    assert.equal("x0", moved())
  end)

  it("undoes what it wrote when its run was cancelled meanwhile", function()
    local host = worker()
    local run_id = start { before = { INSERT }, how = "runs", sql = "select pg_sleep(3)" }
    wait.till(function() return ran() == 1 end, 20, "the handler to run")
    here.db:text(("select pgflow.cancel_run('%s')"):format(run_id))
    host:await_log "cancelled_task"
    wait.till(function() return here.db:number "select count(*) from pgflow.open_transactions" == 0 end, 20, "the rollback")
    assert.equal("", moved())
    assert.equal("its handler was ended at the deadline of its step", host:await_log("discarded_result", 20).message)
  end)

  for what, sql in pairs {
    cancels = "select pgflow.cancel_run('%s')",
    completes = "select pgflow.complete_task('%s', 'move', 0, '1')",
    fails = "select pgflow.fail_task('%s', 'move', 0, 'by hand')",
    releases = "select pgflow.release_tasks(array[t.run_id], array[t.step_slug], array[t.task_index], array[t.claim_no]) " ..
      "from pgflow.step_tasks t where t.run_id = '%s'",
    deletes = "select pgflow.delete_flow_and_data('moves') from (select '%s') r",
  } do
    it("fails for good, and says why, when it " .. what .. " its own run or task through ctx.tx", function()
      local host = worker()
      local row = run { before = { INSERT }, how = "runs_own", sql = sql }
      assert.same({ "failed", "", 1 }, { row.status, moved(), ran() })
      assert.truthy(row.error_message:find("ended its own run or task", 1, true), row.error_message)
      assert.truthy(row.error_message:find("through ctx:query", 1, true), row.error_message)
      assert.equal(row.error_message, host:await_log("attempt_failed").message)
      assert.same({}, host:log "refused_late_result")
    end)
  end

  it("may retire an alias, start runs and cancel others through ctx.tx", function()
    worker()
    local other = start { how = "sleeps" }
    wait.till(function() return ran() == 1 end, 20, "the handler to run")
    local row = run { how = "returns", output = 1, before = {
      "select pgflow.cancel_run('" .. other .. "')",
      [[select * from pgflow.start_flow('moves', '{"how": "returns"}')]],
      "select pgflow.retire_alias('holds')",
    } }
    assert.equal("completed", row.status)
    here.db:await_runs()
    assert.equal("cancelled,completed,completed", here.db:text "select string_agg(r.status, ',' order by r.status) from pgflow.runs r")
  end)

  it("is refused as late, without being accused, when its run was cancelled by others as it committed", function()
    queue = "lists"
    local host = worker()
    here.db:text [[
      create function spec_wait() returns trigger language plpgsql as $$ begin perform pg_sleep(5); return null; end $$;
      create trigger spec_wait after delete on pgflow.open_transactions for each row execute function spec_wait()]]
    local run_id = start({ before = { INSERT }, how = "returns", output = { 1 } }, "lists")
    wait.till(function()
      return here.db:sessions "a.wait_event = 'PgSleep' and a.query like '%complete_transaction%'" == 1
    end, 20, "the completion")
    here.db:text(("select pgflow.cancel_run('%s')"):format(run_id))
    assert.is_nil(host:await_log("refused_late_result").message)
    assert.same({ "", 1 }, { moved(), ran() })
  end)

  it("runs again at once after a deadlock, as the same attempt", function()
    queue = "crosses"
    local host = worker()
    here.db:text "insert into spec_moved (v) values ('a'), ('b')"
    here.db:start_all("crosses", '[["a", "b"], ["b", "a"]]') -- in one transaction, so that they run at the same time
    here.db:await_runs()
    assert.equal(2, here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
    assert.same({ "a2,b2", 3 }, { moved(), ran() })
    assert.equal(2, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count = 1")
    assert.truthy(host:await_log("restarted_handler").message:find "deadlock")
  end)

  it("fails when conflicts do not end within the attempt's time", function()
    local host = worker()
    here.db:text [[
      create function spec_conflict() returns void language plpgsql as $$
      begin raise exception 'always in conflict' using errcode = '40001'; end $$]]
    local row = run { before = { INSERT }, how = "runs", sql = "select spec_conflict()" }
    assert.equal("failed", row.status)
    assert.truthy(row.error_message:find "always in conflict", row.error_message)
    assert.equal(2, here.db:number "select t.attempts_count from pgflow.step_tasks t")
    assert.is_true(ran() > 4 and ran() < 60, ran() .. " times")
    assert.equal("", moved())
    assert.truthy(#host:log "attempt_failed" == 2)
  end)

  it("is timed out in its commit too", function()
    worker()
    here.db:text [[
      create function spec_slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return null; end $$;
      create constraint trigger spec_slow after insert on spec_moved deferrable initially deferred
        for each row execute function spec_slow()]]
    local row = run({ before = { INSERT }, how = "returns" }, "hurries")
    assert.same({ "failed", "" }, { row.status, moved() })
    assert.truthy(row.error_message:find "timed out after 1 s", row.error_message)
  end)

  it("is timed out while it waits for a connection to commit over, and undoes nothing then", function()
    local host = worker(nil, "--handler-connections", "1")
    here.db:start "holds"
    wait.till(function() return ran() == 1 end, 20, "the connection to be held")
    assert.equal("completed", run({ how = "returns" }).status)
    assert.truthy(host:await_log("attempt_failed").message:find(
      "^timed out after 3 s: waited %d s for a connection to the database: all 1 %(%-%-handler%-connections%) are in use$"))
    assert.equal(2, here.db:number "select t.attempts_count from pgflow.step_tasks t where t.flow_slug = 'moves'")
    here.db:await_runs()
  end)

  it("fails alone when its executor sends frames that no executor sends", function()
    worker()
    local statement = ("select pg_sleep(600)"):gsub(".", function(c) return ("%02x"):format(c:byte()) end)
    local query = { type = 15, hex = "0114000000" .. statement .. "00000000" } -- see base/frame.h
    local result = { type = 11, hex = "00" .. "04000000" .. "6e756c6c" .. ("f"):rep(16) .. ("0"):rep(16) }
    local message = run({ how = "forges", frames = { query, query } }).error_message
    assert.truthy(message:find("sent a broken query", 1, true), message)
    message = run({ how = "forges", frames = { query, result } }).error_message
    assert.truthy(message:find("ended before its statement was answered", 1, true), message)
  end)

  it("runs again when its connection was lost", function()
    worker()
    local run_id = start { before = { INSERT }, how = "runs", sql = "select pg_sleep(2)" }
    wait.till(function() return here.db:number [[
      with ended as materialized (
        select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = current_database()
          and a.application_name like 'luaflow handler%' and a.state = 'active' and a.query like '%pg_sleep%')
      select count(*) from ended]] == 1 end, 20, "the handler's statement to run")
    assert.equal("completed", here.db:await_run(run_id).status)
    assert.same({ "x0", 2 }, { moved(), ran() })
  end)

  it("runs again at once, as the same attempt, when its connection was lost between two statements", function()
    local host = worker()
    local run_id = start { before = { INSERT }, how = "naps" }
    wait.till(function() return here.db:number [[
      with ended as materialized (
        select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = current_database()
          and a.application_name like 'luaflow handler%' and a.state = 'idle in transaction' and a.query like 'insert%')
      select count(*) from ended]] == 1 end, 20, "the handler to nap")
    assert.equal("completed", here.db:await_run(run_id).status)
    assert.same({ "x0", 2 }, { moved(), ran() })
    assert.equal(1, here.db:number "select t.attempts_count from pgflow.step_tasks t")
    host:await_log "restarted_handler"
  end)

  it("runs again twice at no cost when its connection is lost again and again, then fails with what the server said", function()
    here.db:text("alter database " .. here.db.name .. " set idle_in_transaction_session_timeout = '300ms'")
    local host = worker()
    local run_id = start { before = { INSERT }, how = "naps" }
    assert.equal("failed", here.db:await_run(run_id).status)
    local task = here.db:row [[
      select t.attempts_count as attempts, t.lost_transactions as lost, t.error_message as error from pgflow.step_tasks t]]
    assert.same({ attempts = 2, lost = 2,
      error = "the transaction was rolled back: terminating connection due to idle-in-transaction timeout" }, task)
    assert.same({ "", 4 }, { moved(), ran() })
    assert.equal(2, #host:log "restarted_handler")
    for _, line in ipairs(host:log "restarted_handler") do assert.equal(task.error, line.message) end
  end)

  it("runs again at no cost, and later each time, while the server lacks disk", function()
    here.db:text [[
      create sequence spec_full;
      create function spec_lacks() returns trigger language plpgsql as $$
        begin
          if nextval('public.spec_full') <= 2 then raise 'No space left on device' using errcode = '53100'; end if;
          return new;
        end $$;
      create trigger spec_lacks before insert on spec_moved for each row execute function spec_lacks();
      create trigger spec_lacks before update on pgflow.step_tasks for each row
        when (new.status = 'completed') execute function spec_lacks()]]
    local host = worker()
    local run_id = start { before = { INSERT }, how = "returns", output = 1 }
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert.same({ attempts = 1, lost = 2 },
      here.db:row "select t.attempts_count as attempts, t.lost_transactions as lost from pgflow.step_tasks t")
    here.db:text "drop trigger spec_lacks on spec_moved; delete from spec_moved"
    here.db:text "select setval('spec_full', 1)" -- now the completion lacks it, once
    run_id = start { before = { INSERT }, how = "returns", output = 1 }
    assert.equal("completed", here.db:await_run(run_id, 30).status)
    assert.equal(1, here.db:number "select max(t.attempts_count) from pgflow.step_tasks t")
    assert.equal(3, #host:log "restarted_handler")
    assert.truthy(host:log("restarted_handler")[1].message:find("No space left on device", 1, true))
  end)

  describe("to which the server gives no connection", function()
    local host
    local WAITED = "^timed out after 1 s: waited %d s for a connection to the database: .*too many connections for role \"spec_few\""

    before_each(function()
      here.db:text [[
        do $$ begin create role spec_few login in role pgflow_handler; exception when duplicate_object then null; end $$;
        alter role spec_few connection limit 1]] -- which the worker needs for itself
      host = worker(nil, "--handler-database", here.db.conninfo .. " user=spec_few")
    end)

    it("waits for one at no cost, and says what it waited for", function()
      local run_id = start({ before = { "select 1" }, how = "returns", output = 1 }, "hurries")
      local other = start({ how = "returns", output = 2 }, "hurries") -- needs none before it completes
      wait.till(function() return #host:log "restarted_handler" >= 3 end, 30, "the attempts")
      here.db:text "alter role spec_few connection limit -1"
      assert.same({ "completed", "completed" }, { here.db:await_run(run_id, 60).status, here.db:await_run(other, 60).status })
      for _, line in ipairs(host:log "restarted_handler") do assert.truthy(line.message:find(WAITED), line.message) end
      -- One that got its connection in its last moments may fail for lack of time.
      local failed, back = host:log "attempt_failed", host:await_log "handler_database_back"
      for _, line in ipairs(failed) do
        assert.is_true(line.time > back.time, line.message)
        assert.truthy(line.message:find "^timed out after 1 s", line.message)
      end
      assert.is_true(here.db:number "select max(t.attempts_count) from pgflow.step_tasks t" <= 1 + #failed)
    end)

    it("is charged in the end, and so is ctx:query at once, with the server's words", function()
      assert.truthy(run({ how = "asks" }, "hurries").error_message:find(WAITED))
      here.db:text "update pgflow.steps s set opt_max_attempts = 1 where s.flow_slug = 'hurries'"
      local run_id = start({ before = { "select 1" }, how = "returns", output = 1 }, "hurries")
      here.db:text(("update pgflow.step_tasks t set lost_transactions = 9 where t.run_id = '%s'"):format(run_id))
      local row = here.db:await_run(run_id, 60)
      assert.truthy(row.error_message:find(WAITED), row.error_message)
    end)
  end)

  it("fails once its commit has lost the connection again and again", function()
    here.db:text [[
      create function spec_end() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(1); return null; end $$;
      create constraint trigger spec_end after insert on spec_moved deferrable initially deferred for each row execute function spec_end()]]
    worker()
    assert.equal("failed", here.db:await_run(start { before = { INSERT }, how = "returns", output = 1 }).status)
    local task = here.db:row [[
      select t.attempts_count as attempts, t.lost_transactions as lost, t.error_message as error from pgflow.step_tasks t]]
    assert.same({ 2, 2 }, { task.attempts, task.lost })
    assert.truthy(task.error:find("^the connection was lost during the commit: .*terminating connection"), task.error)
    assert.same({ "", 4 }, { moved(), ran() })
  end)

  it("does not go on over another connection when its own breaks as a statement comes", function()
    between = proxy.open(here.db)
    local host = worker({ database = between.conninfo }, "--handler-connections", "1")
    start { how = "writes_twice" }
    start { how = "writes_twice" } -- waits for the connection
    wait.till(function()
      return here.db:number [[
        select count(*) from pg_stat_activity a where a.datname = current_database()
          and a.application_name like 'luaflow handler%' and a.state = 'idle in transaction' and a.query like 'insert%']] == 1
    end, 20, "the first statement")
    host.process:signal(process.SIGSTOP)
    wait.pause(1.5) -- the second lies there
    between:tell("handler", "cut")
    host.process:signal(process.SIGCONT)
    here.db:await_runs()
    assert.equal(2, here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
    assert.equal("1 1 2 2", here.db:text "select string_agg(n::text, ' ' order by n) from spec_transfers")
  end)

  it("is given up when it was refused and then lost its connection", function()
    local host = worker()
    local run_id = start { how = "opens_late" }
    wait.till(function() return ran() == 1 end, 20, "the handler to run")
    here.db:text(("select pgflow.cancel_run('%s')"):format(run_id))
    wait.till(function() return here.db:number [[
      with ended as materialized (
        select pg_terminate_backend(a.pid) from pg_stat_activity a where a.datname = current_database()
          and a.application_name like 'luaflow handler%' and a.state = 'idle in transaction (aborted)')
      select count(*) from ended]] == 1 end, 20, "the transaction to be refused")
    assert.truthy(host:await_log("log").fields.said:find("no longer the current one", 1, true))
    assert.equal("completed", run({ before = { INSERT }, how = "returns" }).status)
    assert.same({ "x0", 2 }, { moved(), ran() })
  end)

  it("is settled although the server's process of its connection is stopped", function()
    local host = worker(nil, "--handler-connections", "1")
    local run_id = start { before = { INSERT }, how = "sleeps" }
    wait.till(function() return ran() == 1 end, 5, "the handler to run")
    local pid
    wait.till(function()
      pid = here.db:number [[
        select coalesce(max(a.pid), 0) from pg_stat_activity a
        where a.datname = current_database() and a.application_name like 'luaflow handler%' and a.state = 'idle in transaction']]
      return pid > 0
    end, 5, "the transaction")
    process.send(pid, process.SIGSTOP)
    local ended, message = pcall(host.await_log, host, "attempt_failed", 20)
    process.send(pid, process.SIGCONT)
    assert.is_true(ended, message)
    here.db:await_run(run_id)
    assert.truthy(error_message():find "^timed out after 3 s, waiting in ctx:sleep at flows/moves.lua:%d+$", error_message())
    assert.equal("", moved())
  end)

  local LOCKING = "insert into spec_moved (v) values ('x') on conflict (v) do update set n = spec_moved.n + 1"

  local function holder()
    return here.db:number [[
      select coalesce(max(a.pid), 0) from pg_stat_activity a where a.datname = current_database()
        and a.application_name like 'luaflow handler%' and a.state = 'idle in transaction' and a.query like 'insert%']]
  end

  it("keeps its locks no longer than its attempt's time and 5 s when its host is frozen", function()
    local host = worker()
    local run_id = start { before = { LOCKING }, how = "sleeps" }
    wait.till(function() return holder() > 0 end, 20, "the transaction")
    host.process:signal(process.SIGSTOP)
    local from = wait.now()
    here.db:text(LOCKING) -- waits for the lock
    local took = wait.now() - from
    host.process:signal(process.SIGCONT)
    assert.is_true(took < 12, ("the lock was held for %.1f s"):format(took))
    assert.equal("x0", moved())
    here.db:await_run(run_id)
  end)

  it("has its session ended by the worker that recovers its task", function()
    queue = "freezes"
    local frozen = worker()
    local run_id = here.db:start("freezes", cjson.encode(LOCKING))
    wait.till(function() return holder() > 0 end, 20, "the transaction")
    frozen.process:signal(process.SIGSTOP)
    local bystander = process.spawn { argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c",
      "select pg_advisory_lock_shared(l.key) from (select (k.classid::bigint << 32 | k.objid::bigint) as key from pg_locks k "
      .. "where k.locktype = 'advisory' and k.objsubid = 1 and k.pid = " .. holder() .. ") l; select pg_sleep(60)" } }
    local second = worker()
    here.db:text([[
      create or replace function pgflow._has_server_settled() returns boolean language sql as 'select true';
      update pgflow.workers w set unbroken_since = now() - interval '1 hour' where w.worker_id <> :'id';
      update pgflow.workers w set last_heartbeat_at = now() - interval '31 seconds' where w.worker_id = :'id']],
      { id = frozen:log("loaded")[1].worker })
    local ok, row = pcall(here.db.await_run, here.db, run_id, 30)
    frozen.process:signal(process.SIGCONT)
    assert.is_true(ok, row)
    assert.equal("completed", row.status)
    assert.equal("dead_worker", second:log("recovered_task")[1].reason)
    assert.equal(1, here.db:number [[
      select count(*) from pg_stat_activity a
      where a.datname = current_database() and a.query like '%pg_sleep(60)%' and a.pid <> pg_backend_pid()]])
    bystander:kill()
    bystander:forget()
    wait.till(function()
      return #frozen:log "restarted_handler" + #frozen:log "attempt_failed" + #frozen:log "lost_task" > 0
    end, 20, "the frozen one to see it")
  end)

  it("waits for a connection like everybody else", function()
    worker(nil, "--handler-connections", "1", "--concurrency", "20")
    here.db:start_all("moves", ([=[[%s]]=]):format((('{"how": "runs", "sql": "select pg_sleep(0.05)"},'):rep(20)):sub(1, -2)))
    here.db:await_runs()
    assert.equal(20, here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'")
  end)

  it("finishes when its worker drains, and is undone when that is killed", function()
    local host = worker()
    local run_id = start { before = { INSERT }, how = "runs", sql = "select pg_sleep(1)" }
    wait.till(function() return ran() == 1 end, 20, "the handler to run")
    assert.same({ code = 0 }, host:stop())
    assert.same({ "completed", "x0" }, { here.db:await_run(run_id, 1).status, moved() })
    host = worker()
    run_id = start { before = { "insert into spec_moved (v) values ('y')" }, how = "sleeps" }
    wait.till(function() return ran() == 2 end, 20, "the handler to run")
    host.process:signal(process.SIGTERM)
    host:await_log "draining"
    assert.same({ code = 0 }, host:stop())
    assert.equal("x0", moved())
    assert.equal(1, here.db:number "select count(*) from pgflow.step_tasks t where t.status = 'queued'")
    here.db:text(("select pgflow.cancel_run('%s')"):format(run_id))
  end)

  it("is what ctx.tx is for, and only until it has returned", function()
    queue = "plain"
    local plain = worker()
    local row = run({ how = "runs", sql = "select 1" }, "plain")
    assert.truthy(row.error_message:find('ctx.tx: this step has no transaction; set transaction = true on step "move"', 1, true))
    plain:stop()
    queue = "moves"
    worker()
    assert.equal("completed", run({ how = "keeps" }).status)
    local said = run({ how = "uses_kept" }).output.move
    assert.same({ false, false }, { said[1], said[3] })
    assert.truthy(said[2]:find "ctx.tx:query was called after its handler had returned")
    assert.truthy(said[4]:find "ctx:query was called after its handler had returned")
  end)

  it("applies each transfer once although the connection breaks right behind COMMIT", function()
    local count = os.getenv "LUAFLOW_LONG_SPECS" and 300 or 60
    queue = "transfers"
    between = proxy.open(here.db)
    local host = worker({ database = between.conninfo }, "--concurrency", "8")
    here.db:text "insert into spec_moved values ('a', 0), ('b', 0)"
    between:tell("handler", "cut_commits")
    local list = {}
    for i = 1, count do list[i] = i end
    local run_id = here.db:start("transfers", cjson.encode(list))
    local needed = os.getenv "LUAFLOW_LONG_SPECS" and 100 or 20
    wait.till(function() return #host:log "commit_unanswered" >= needed end, 120, "the cuts", 0.2)
    between:tell("handler", "keep_commits")
    assert.equal("completed", here.db:await_run(run_id, 60).status)
    print(("# %d commits were not answered"):format(#host:log "commit_unanswered"))
    assert.same({ count, count }, {
      here.db:number "select count(*) from spec_transfers", here.db:number "select count(distinct t.n) from spec_transfers t" })
    assert.equal(("a-%d,b%d"):format(count, count), moved())
  end)

  describe("whose handlers' connections are elsewhere", function()
    local function launch(database)
      return here:launch { args = { "--queue", "moves", "--executors", "1", "--handler-database", database } }
    end

    it("works as a role that has pgflow_handler, and waits for that right as another", function()
      here.db:text [[
        do $$ begin create role luaflow_spec_handler login; exception when duplicate_object then null; end $$;
        revoke pgflow_handler from luaflow_spec_handler;
        grant select, insert on spec_moved to luaflow_spec_handler]]
      local database = here.db.conninfo .. " user=luaflow_spec_handler"
      local waits = launch(database)
      assert.truthy(waits:await_log "rights_missing".hint:find "`grant pgflow_handler to luaflow_spec_handler`")
      wait.pause(2)
      assert.same({ 1, 0 }, { #waits:log "rights_missing", #waits:log "running" })
      here.db:text "grant pgflow_handler to luaflow_spec_handler"
      waits:await_log "running"
      local row = run { before = { INSERT }, how = "runs", sql = "select session_user::text as me" }
      assert.same({ "luaflow_spec_handler", "x0" }, { row.output.move[1].me, moved() })
      here.db:text "revoke pgflow_handler from luaflow_spec_handler"
    end)

    it("waits for a database that was never reached, and names it", function()
      local waits = launch "host=/nowhere/at/all"
      local line = waits:await_log "handler_database_not_reached"
      assert.equal("--handler-database", line.given_by)
      assert.truthy(line.hint:find("deploys its flows once it is reached", 1, true), line.hint)
      assert.same({ 0, 0 }, { #waits:log "handler_database_lost", #waits:log "running" })
      waits.process:kill()
    end)

    it("is refused by another database", function()
      local other = require("spec.support.database").clone()
      other:text "update pgflow.settings set installation_id = gen_random_uuid()"
      local refused = launch(other.conninfo)
      assert.same({ code = 4 }, refused.process:wait(15))
      assert.truthy(refused.process:errors():find "leads to another installation")
      refused = launch(here.db.conninfo .. " dbname=postgres")
      assert.same({ code = 4 }, refused.process:wait(15))
      assert.truthy(refused.process:errors():find "cannot serve steps with transaction = true")
      other:drop()
    end)
  end)
end)
