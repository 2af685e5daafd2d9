-- ctx:query: values there and back, errors that can be caught, and what a handler leaves behind on the server.
local cjson = require "cjson"
local files = require "spec.support.files"
local process = require "spec.support.process"
local proxy = require "spec.support.proxy"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

-- Handlers by what their input says.
local FLOWS = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "asks", max_attempts = 1, timeout = 2 }
  :step({ slug = "ask" }, function(input, ctx)
    local file = io.open(ctx.env.SPEC_FOLDER .. "/ran", "a")
    file:write(tostring(input.name), "\n")
    file:close()
    if input.log then ctx:log("info", "asking") end
    if input.sql then return ctx:query(input.sql, unpack(input.params or {})) end
    return input.name
  end)
]]

local PATIENT = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "patient", max_attempts = 1, timeout = 40 }
  :step({ slug = "ask" }, function(input, ctx) return ctx:query(input.sql, unpack(input.params or {})) end)
]]

local HANDLERS = "a.datname = current_database() and a.application_name like 'luaflow handler%'"

describe("ctx:query", function()
  local here, between

  local function open() here = scene.open { ["flows/asks.lua"] = FLOWS, ["flows/patient.lua"] = PATIENT } end

  -- Runs a script against the database and returns how it ended.
  local function script(text, options)
    files.write(here.root:at "script.lua", "local ctx = ...\nlocal luaflow = require 'luaflow'\n" .. text)
    return here:luaflow({ "lua", "script.lua" }, options)
  end

  local function check(text)
    local result = script(text)
    assert.same({ code = 0, out = "", err = "" }, { code = result.code, out = result.out, err = result.err })
  end

  describe("in a script", function()
    setup(open)
      teardown(function() here:close() end)

    describe("values", function()
      it("come by their types, without loss", function()
        check [=[
          local ffi = require "ffi"
          local row = ctx:query([[
            select 1::int2 as small, -5::int4 as medium, 9007199254740992::int8 as large, 9007199254740993::int8 as larger,
              (-9223372036854775807 - 1)::int8 as least, 0.1::float4 as single, 1e-300::float8 as double,
              'NaN'::float8 as nan, '-Infinity'::float4 as minus, true as yes, false as no,
              'a' || chr(10) || chr(228) as text, ''::text as empty, null::text as missing,
              '\x00ff5c27'::bytea as bytes, ''::bytea as no_bytes, '2026-02-03 04:05:06.789'::timestamp as stamp,
              '1 day 02:03'::interval as span, '12ef3a90-1b2c-4d5e-8f90-123456789abc'::uuid as id,
              42::oid as oid, '(1,"a b")'::text as composite]])[1]
          assert(row.small == 1 and row.medium == -5 and row.large == 2 ^ 53)
          assert(ffi.istype("int64_t", row.larger) and row.larger == 9007199254740993LL)
          assert(row.least == -9223372036854775807LL - 1)
          assert(row.single == 0.1 and row.double == 1e-300 and row.nan ~= row.nan and row.minus == -math.huge)
          assert(row.yes == true and row.no == false)
          assert(row.text == "a\nä" and row.empty == "" and row.missing == nil)
          assert(row.bytes == "\0\255\\'" and row.no_bytes == "")
          assert(row.stamp == "2026-02-03 04:05:06.789" and row.span == "1 day 02:03:00")
          assert(row.id == "12ef3a90-1b2c-4d5e-8f90-123456789abc" and row.oid == 42 and row.composite == '(1,"a b")')
        ]=]
      end)

      it("keep numerics exact: a number where it says the same, else the text", function()
        check [=[
          local row = ctx:query([[
            select 1.50::numeric as a, 0::numeric as b, -0.1::numeric as c, 12345678901234567890::numeric as d,
              1e20::numeric as e, 0.12345678901234567890::numeric as f, 'NaN'::numeric as g, 1e-7::numeric as h,
              9007199254740993::numeric as i, 1e400::numeric as j]])[1]
          assert(row.a == 1.5 and row.b == 0 and row.c == -0.1 and row.d == "12345678901234567890")
          assert(row.e == 1e20 and row.f == "0.12345678901234567890" and row.g ~= row.g and row.h == 1e-7)
          assert(row.i == "9007199254740993" and type(row.j) == "string" and #row.j == 401)
        ]=]
      end)

      it("come as arrays, nested ones too, and as JSON", function()
        check [=[
          local row = ctx:query([==[
            select array[1, null, 3] as numbers, array[array[1, 2], array[3, 4] ] as nested, '{}'::int[] as empty,
              array['a,b', 'c"d\', 'NULL', null, '', '{}', ' x '] as texts, '[2:3]={7,8}'::int[] as shifted,
              array[9007199254740993] as large, array['{"a":[]}', 'null']::jsonb[] as documents,
              array['\x00'::bytea] as bytes, array[true, false] as flags, array[1.5, 12345678901234567890.1] as exact,
              '[]'::jsonb as list, '{}'::json as object, 'null'::jsonb as nothing, null::jsonb as missing,
              '{"n": 9007199254740993, "l": [1, []]}'::jsonb as tree]==])[1]
          local null = luaflow.null
          local function same(list, ...)
            assert(#list == select("#", ...), #list)
            for i = 1, #list do assert(list[i] == select(i, ...), i) end
          end
          same(row.numbers, 1, null, 3)
          same(row.nested[1], 1, 2)
          same(row.nested[2], 3, 4)
          same(row.texts, "a,b", 'c"d\\', "NULL", null, "", "{}", " x ")
          same(row.shifted, 7, 8)
          assert(row.large[1] == 9007199254740993LL and row.documents[2] == null and #row.documents[1].a == 0)
          same(row.bytes, "\0")
          same(row.flags, true, false)
          same(row.exact, 1.5, "12345678901234567890.1")
          assert(row.nothing == null and row.missing == nil and row.tree.n == 9007199254740993LL)
          same(row.tree.l[2])
        ]=]
      end)

      it("go back as they came", function()
        check [=[
          ctx:query [[
            create table if not exists spec_values (small int2, medium int4, large int8, double float8, exact numeric, yes bool, text text,
              bytes bytea, list int[], nested int[], texts text[], tree jsonb, stamp timestamptz, missing int)]]
          local function insert(row)
            return ctx:query("insert into spec_values values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14)",
              row.small, row.medium, row.large, row.double, row.exact, row.yes, row.text, luaflow.pg_bytea(row.bytes),
              luaflow.pg_array(row.list), luaflow.pg_array(row.nested), luaflow.pg_array(row.texts), row.tree, row.stamp, row.missing)
          end
          local given = {
            small = -3, medium = 2147483647, large = 9007199254740993LL, double = 1 / 3, exact = "12345678901234567890.5",
            yes = false, text = "it's \\ \"q\" ä", bytes = "\0\1\255", list = { 1, luaflow.null, 3 }, nested = { { 1, 2 }, { 3, 4 } },
            texts = { 'a"b', "c,d", "NULL", "\\" }, tree = { a = luaflow.array(), b = { 1, { c = luaflow.null } } },
            stamp = "2026-01-02 03:04:05+00",
          }
          assert(insert(given).n == 1)
          local first = ctx:query("select * from spec_values")[1]
          insert(first)
          local sum = ctx:query("select count(*) as rows, count(distinct v::text) as kinds from spec_values v")[1]
          assert(sum.rows == 2 and sum.kinds == 1)
          assert(first.large == given.large and first.double == given.double and first.bytes == given.bytes and first.missing == nil)
          assert(first.texts[4] == "\\" and first.text == given.text and first.exact == given.exact)
          ctx:query "drop table spec_values"
        ]=]
      end)

      it("that are hostile change nothing", function()
        check [=[
          ctx:query "create table spec_kept (v text)"
          ctx:query("insert into spec_kept values ($1)", "kept")
          local hostile = {
            "'; drop table spec_kept; --", "$1", "\\'; drop table spec_kept", "$$ drop table spec_kept $$", "\27[31m", ("x"):rep(100000),
            "{1,2}", '"},{"', "\\x", "NULL", "%s%n", "\r\n",
          }
          for _, value in ipairs(hostile) do
            assert(ctx:query("select $1::text as v", value)[1].v == value)
            assert(ctx:query("select ($1::text[])[2] as v", luaflow.pg_array { "a", value })[1].v == value)
            assert(ctx:query("select $1::jsonb ->> 'k' as v", { k = value })[1].v == value)
            assert(ctx:query("select $1::jsonb -> $2 as v", { [value] = 1 }, value)[1].v == 1)
            assert(ctx:query("select $1::bytea as v", luaflow.pg_bytea(value))[1].v == value)
          end
          assert(ctx:query("select v from spec_kept").n == 1)
          ctx:query "drop table spec_kept"
        ]=]
      end)

      it("are counted, and rows and columns are told", function()
        check [=[
          local none = ctx:query("select 1 as a, 2 as b where false")
          assert(none.n == 0 and #none == 0 and table.concat(none.columns, ",") == "a,b")
          local three = ctx:query("select g as v from generate_series(1, 3) g")
          assert(three.n == 3 and #three == 3 and three[3].v == 3)
          ctx:query "create table spec_counted (v int)"
          assert(ctx:query("insert into spec_counted select generate_series(1, 5)").n == 5)
          assert(ctx:query("update spec_counted set v = 0 where v > 3").n == 2)
          assert(ctx:query("delete from spec_counted returning v").n == 5)
          assert(ctx:query("drop table spec_counted").n == 0)
          assert(ctx:query("select $1::text as a, $2::text as b, $3::text as c", nil, luaflow.null, nil)[1].a == nil)
          assert(ctx:query("").n == 0)
        ]=]
      end)
    end)

    describe("errors", function()
      it("are tables with the server's fields, and can be caught", function()
        check [=[
          ctx:query "create table spec_errors (id int constraint spec_key primary key, v int not null)"
          ctx:query "insert into spec_errors values (1, 1)"
          local ok, e = pcall(ctx.query, ctx, "insert into spec_errors values ($1, 1)", 1)
          assert(not ok and e.sqlstate == "23505" and e.constraint == "spec_key" and e.table == "spec_errors" and e.schema == "public")
          assert(e.kind == "database" and e.detail == "Key (id)=(1) already exists." and e.message:find "duplicate key")
          ok, e = pcall(ctx.query, ctx, "insert into spec_errors values (2, null)")
          assert(e.sqlstate == "23502" and e.column == "v")
          ok, e = pcall(function() return ctx:query("select nothing") end)
          assert(tostring(e):find "^script.lua:%d+: column \"nothing\" does not exist %(SQLSTATE 42703%)$", tostring(e))
          ok, e = pcall(ctx.query, ctx, "select $1::int", 1, 2)
          assert(e.sqlstate == "08P01" and e.kind == "database")
          ok, e = pcall(ctx.query, ctx, "select 1; select 2")
          assert(e.sqlstate == "42601")
          assert(ctx:query("select count(*) as n from spec_errors")[1].n == 1)
          ctx:query "drop table spec_errors"
        ]=]
      end)

      it("tell of parameters that cannot be sent", function()
        check [=[
          local function refused(what, ...)
            local ok, e = pcall(ctx.query, ctx, ...)
            assert(not ok and tostring(e):find(what, 1, true), tostring(e))
          end
          refused("ctx:query: the statement must be a string, not a nil")
          refused("the statement holds a NUL byte", "select 1\0")
          refused("parameter 2: a string with a NUL byte", "select $1, $2", 1, "a\0b")
          refused("parameter 1: a function cannot be sent", "select $1", print)
          refused("parameter 1.a[2]: function, which JSON cannot hold", "select $1", { a = { 1, print } })
          refused("parameter 1: pg_array needs a list without holes", "select $1", luaflow.pg_array { 1, nil, 3 })
          refused("parameter 1[2]: a function cannot", "select $1", luaflow.pg_array { 1, print })
        ]=]
      end)

      it("tell of results that a table cannot hold", function()
        check [=[
          local ok, e = pcall(ctx.query, ctx, "select 1 as a, 2 as a")
          assert(not ok and e.kind == "result" and e.message:find('two columns have the name "a"', 1, true))
          ok, e = pcall(ctx.query, ctx, "select '[1e999]'::jsonb as a")
          assert(not ok and e.kind == "result" and e.message:find("column a[1]", 1, true), e.message)
          ok, e = pcall(ctx.query, ctx, "select repeat('x', 1000) from generate_series(1, 100000)")
          assert(not ok and e.sqlstate == "54000" and e.message:find("--max-output", 1, true))
          ok, e = pcall(ctx.query, ctx, "select repeat('x', 16 * 1024 * 1024)")
          assert(not ok and e.sqlstate == "54000")
          assert(#ctx:query("select repeat('x', 16 * 1024 * 1024 - 4) as a")[1].a == 16777212)
          assert(ctx:query("select 1 as a")[1].a == 1)
        ]=]
      end)

      it("tell of COPY and of transactions", function()
        check [=[
          for _, sql in ipairs { "copy (select 1) to stdout", "create temp table spec_c (v int); copy spec_c from stdin" } do
            local ok, e = pcall(ctx.query, ctx, sql:match "[^;]*$")
            assert(not ok and (e.sqlstate == "0A000" or e.sqlstate == "42P01"), tostring(e))
          end
          ctx:query "create table spec_c (v int)"
          local ok, e = pcall(ctx.query, ctx, "copy spec_c from stdin")
          assert(not ok and e.sqlstate == "0A000" and e.message:find "COPY", tostring(e))
          ctx:query "drop table spec_c"
          ok, e = pcall(ctx.query, ctx, "begin")
          assert(not ok and e.sqlstate == "25001" and e.hint:find "ctx.tx:query")
          assert(ctx:query("select 1 as a")[1].a == 1)
          ok, e = pcall(function() return ctx.tx:query("select 1") end)
          assert(not ok and e:find "set transaction = true")
        ]=]
      end)

      it("tell of a call in a coroutine of the handler's own", function()
        check [=[
          local ok, e = coroutine.resume(coroutine.create(function() return ctx:query("select 1") end))
          assert(not ok and e:find "inside a coroutine that the handler created", e)
        ]=]
      end)

      it("tell of a database that cannot be reached", function()
        local result = script("ctx:query 'select 1'", { env = { DATABASE_URL = "host=/nowhere" } })
        assert.equal(1, result.code)
        assert.truthy(result.err:find "No such file or directory")
      end)
    end)

    it("gives each statement a session of its own", function()
      check [=[
        ctx:query "create temp table spec_temporary (v int)"
        ctx:query "set search_path = nowhere"
        ctx:query "select pg_advisory_lock(4711)"
        ctx:query "listen spec_channel"
        ctx:query "set datestyle = 'German'"
        local row = ctx:query([[
          select current_setting('search_path') as path, to_regclass('spec_temporary') as tmp, '2026-01-02'::date as day,
            (select count(*) from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid()) as locks,
            (select count(*) from pg_listening_channels()) as channels]])[1]
        assert(row.path:find "public" and row.tmp == nil and row.locks == 0 and row.channels == 0 and row.day == "2026-01-02")
      ]=]
    end)

    it("opens no database before the first statement", function()
      local result = script("print(1)", { env = { DATABASE_URL = "host=/nowhere" } })
      assert.same({ code = 0, out = "1\n", err = "" }, { code = result.code, out = result.out, err = result.err })
    end)

  end)

  describe("in a worker", function()
      before_each(open)

      after_each(function()
        here:stop_workers()
        here:assert_consistent()
        here:close()
        if between then between:close() end
        between = nil
      end)

    local function ask(sql, params)
      return here.db:start("asks", cjson.encode { name = "sql", sql = sql, params = params })
    end

    local function backends(state)
      return here.db:number(("select count(*) from pg_stat_activity a where %s and a.state = '%s'"):format(HANDLERS, state))
    end

    it("stores a handler's result as an array of its rows, an empty one too", function()
      here:worker { args = { "--queue", "asks" } }
      local run = here.db:await_run(ask "select 1 as a, array[1, null] as b, null as c")
      assert.equal('{"ask": [{"a": 1, "b": [1, null]}]}', run.output_text)
      assert.equal('{"ask": []}', here.db:await_run(ask "select 1 as a where false").output_text)
    end)

    it("stores an error with its place, and its detail, which is not logged", function()
      local worker = here:worker { args = { "--queue", "asks" } }
      here.db:text "create table spec_unique (v text primary key); insert into spec_unique values ('secret')"
      local run = here.db:await_run(ask("insert into spec_unique values ($1)", { "secret" }))
      here.db:text "drop table spec_unique"
      local stored = here.db:text "select t.error_message from pgflow.step_tasks t"
      local words = '^flows/asks.lua:%d+: duplicate key value .*%(SQLSTATE 23505%): Key %(v%)=%(secret%) already exists%.$'
      assert.truthy(stored:find(words), stored)
      assert.equal("failed", run.status)
      assert.truthy(worker:await_log("attempt_failed"))
      assert.is_nil(worker.process:errors():find("secret", 1, true))
    end)

    it("cancels the statement at the deadline, and the connection serves the next", function()
      here:worker { args = { "--queue", "asks", "--handler-connections", "1" } }
      local run_id = ask "select pg_sleep(600)"
      wait.till(function() return backends "active" == 1 end, 20, "the statement to run")
      local pid = here.db:number(("select a.pid from pg_stat_activity a where %s"):format(HANDLERS))
      local run = here.db:await_run(run_id, 10)
      assert.truthy(run.error_message:find "timed out after 2 s", run.error_message)
      wait.till(function() return backends "active" == 0 end, 3, "the statement to end")
      local next_run = here.db:await_run(ask "select pg_backend_pid() as pid")
      assert.equal(pid, next_run.output.ask[1].pid)
    end)

    it("makes only those wait who ask when its connections are in use, and releases them at their deadline", function()
      here:worker { args = { "--queue", "asks", "--handler-connections", "2", "--executors", "1", "--concurrency", "20" } }
      here.db:text "create table spec_gate (v int); insert into spec_gate values (1)"
      local holder = process.spawn {
        argv = { "psql", "-X", "-q", "-d", here.db.conninfo, "-c", "begin; lock table spec_gate; select pg_sleep(6)" },
      }
      wait.till(function()
        return here.db:number "select count(*) from pg_locks l where l.relation = 'spec_gate'::regclass" == 1
      end, 20, "the lock")
      for _ = 1, 4 do ask "select v from spec_gate" end
      wait.till(function() return backends "active" == 2 end, 20, "both connections to be in use")
      local from = wait.now()
      here.db:start_all("asks", "[" .. ('{"name": "free"},'):rep(9) .. '{"name": "free"}]')
      wait.till(function()
        return here.db:number "select count(*) from pgflow.runs r where r.status = 'completed'" == 10
      end, 1.9, "handlers that ask nothing to complete")
      wait.till(function() return here.db:number "select count(*) from pgflow.runs r where r.status = 'failed'" == 4 end, 10)
      assert.is_true(wait.now() - from < 5)
      assert.equal(4, here.db:number [[
        select count(*) from pgflow.step_tasks t where t.error_message like 'timed out after 2 s, waiting in ctx:query%']])
      assert.equal("completed", here.db:await_run(ask "select 1 as a").status)
      holder:kill()
      holder:forget()
      here.db:text "drop table spec_gate"
    end)

    it("cancels the statement of an executor that dies", function()
      local worker = here:worker { args = { "--queue", "patient", "--executors", "1" } }
      local run_id = here.db:start("patient", '{"sql": "select pg_sleep(4)"}')
      local statement = ("select a.query_start from pg_stat_activity a where a.state = 'active' and %s"):format(HANDLERS)
      wait.till(function() return backends "active" == 1 end, 20, "the statement to run")
      local first = here.db:text(statement)
      for _, pid in ipairs(worker.process:living()) do
        if pid ~= worker.process.pid then process.send(pid, process.SIGKILL) end
      end
      worker:await_log "executor_died"
      wait.till(function() return not here.db:text(statement):find(first, 1, true) end, 2, "the statement to end")
      assert.equal("completed", here.db:await_run(run_id).status) -- it was released, and ran again
    end)

    it("does not outlive its worker when that is killed", function()
      local worker = here:worker { args = { "--queue", "patient" } }
      here.db:start("patient", '{"sql": "select pg_sleep(600)"}')
      wait.till(function() return backends "active" == 1 end, 20, "the statement to run")
      worker.process:kill()
      wait.till(function() return backends "active" == 0 end, 10, "the statement to end")
      here.db:text "select pgflow.cancel_run(r.run_id) from pgflow.runs r"
    end)

    it("raises 08006 where the connection is lost, and goes on with another", function()
      here:worker { args = { "--queue", "patient" } }
      local run_id = here.db:start("patient", '{"sql": "select pg_sleep(600)"}')
      wait.till(function() return backends "active" == 1 end, 20, "the statement to run")
      here.db:text(("select pg_terminate_backend(a.pid) from pg_stat_activity a where %s"):format(HANDLERS))
      local run = here.db:await_run(run_id)
      assert.equal("failed", run.status)
      assert.truthy(run.error_message:find "SQLSTATE", run.error_message)
      assert.equal("completed", here.db:complete("patient", '{"sql": "select 1 as a"}').status)
    end)

    it("waits for a database that is away", function()
      between = proxy.open(here.db)
      here:worker { args = { "--queue", "patient", "--handler-database", between.conninfo } }
      between:tell("all", "refuse")
      between:tell("all", "cut")
      local run_id = here.db:start("patient", '{"sql": "select 1 as a"}')
      wait.pause(1)
      between:tell("all", "accept")
      assert.equal("completed", here.db:await_run(run_id).status)
    end)

    it("runs as another role, which cannot do what the worker can", function()
      here.db:text [[
        do $$ begin create role luaflow_spec_handler login; exception when duplicate_object then null; end $$]]
      here:worker { args = { "--queue", "asks", "--handler-database", here.db.conninfo .. " user=luaflow_spec_handler" } }
      local run = here.db:await_run(ask "select session_user::text as me")
      assert.equal("luaflow_spec_handler", run.output.ask[1].me)
      local refused = here.db:await_run(ask "select * from pgflow.runs").error_message
      assert.truthy(refused:find("permission denied for schema pgflow (the connection has role luaflow_spec_handler)", 1, true), refused)
      here.db:await_run(ask "select pg_sleep(600)")
      wait.till(function() return backends "active" == 0 end, 8, "the statement to end")
    end)

    it("closes connections that nobody uses, that next to them too, which cancels when they are opened again", function()
      local function count() return here.db:number("select count(*) from pg_stat_activity a where " .. HANDLERS) end
      here:worker { args = { "--queue", "asks", "--handler-database", here.db.conninfo } }
      here.db:await_run(ask "select 1 as a")
      assert.equal(2, count())
      wait.till(function() return count() == 0 end, 20, "the idle connections to be closed", 0.5)
      here.db:await_run(ask "select pg_sleep(600)")
      wait.till(function() return backends "active" == 0 end, 3, "the statement to end")
    end)
  end)
end)
