-- An installation of schema 24, with runs under way, is upgraded: its runs are finished by the new functions, and what it did not know of
-- its flows is learned at the next deployment.
local database = require "spec.support.database"
local process = require "spec.support.process"
local said = require "spec.support.said"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local LAST_OLD = 24

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "crossing" }
  :array({ slug = "list" }, function(input) return input end)
  :map({ slug = "each", array = "list", transaction = true }, function(element, ctx)
    if element == 3 and not luaflow.is_null(ctx.env.HOLD) then ctx:sleep(60) end
    ctx.tx:query("select 1")
    return element * 10
  end)
  :step({ slug = "sum", depends_on = { "each" } }, function(deps)
    local sum = 0
    for _, value in ipairs(deps.each) do sum = sum + value end
    return sum
  end)
]]

describe("an upgrade of schema " .. LAST_OLD, function()
  local here, new

  before_each(function()
    here = scene.open { ["flows/crossing.lua"] = FLOW }
    new = here.db
  end)
  after_each(function()
    if here.db ~= new then here.db:drop() end
    here.db = new
    here:close()
  end)

  -- A database with the tables of then, and no function; its migrations are recorded as migrate records them.
  local function old_database()
    local old = database.create()
    local printed = here:succeed("migrate", "--print")
    local cut = assert(printed:find(("begin;\nset local [^\n]+\n\n%%-%%- sql/migrations/%04d_"):format(LAST_OLD + 1)))
    old:text("create extension if not exists pgmq; set client_min_messages = warning; " .. printed:sub(1, cut - 1))
    return old
  end

  -- The rows of the one go to the other, as far as that has columns for them.
  local function copy_rows(from, to)
    local tables = to:rows [[
      select c.oid::regclass as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind = 'r' and c.relnamespace = 'pgflow'::regnamespace and c.relname not in ('migrations', 'settings', 'transaction_keys')
      group by c.oid]]
    to:text "select pgmq.create('crossing')"
    for _, name in ipairs { "pgmq.q_crossing", "pgmq.a_crossing" } do
      tables[#tables + 1] = { name = name, columns = to:text([[
        select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
        where a.attrelid = :'name'::regclass and a.attnum > 0 and not a.attisdropped]], { name = name }) }
    end
    local words = { "set -e" }
    for _, each in ipairs(tables) do
      words[#words + 1] = ([[psql -X -q -d "$1" -c "copy %s (%s) to stdout" |
        psql -X -q -v ON_ERROR_STOP=1 -d "$2" -c "set session_replication_role = replica" -c "delete from %s" \
          -c "copy %s (%s) from stdin"]]):format(each.name, each.columns, each.name, each.name, each.columns)
    end
    local result = process.run { argv = { "bash", "-o", "pipefail", "-c", table.concat(words, "\n"), "bash", from.conninfo, to.conninfo },
      seconds = 60 }
    assert.equal(0, result.code, result.err)
    to:text [[
      select setval(pg_get_serial_sequence('pgmq.q_crossing', 'msg_id'), (select coalesce(max(t.message_id), 1) from pgflow.step_tasks t));
      select setval(pg_get_serial_sequence('pgflow.alias_activations', 'activation_id'), 1)]]
  end

  it("finishes the runs that were under way, and learns what it did not know of their flow", function()
    local before = here:worker { args = { "--executors", "1", "--grace", "1s" }, env = { HOLD = "1" } }
    local half = new:start("crossing", "[1, 2, 3, 4]")
    wait.till(function()
      return new:number "select count(*) from pgflow.step_tasks t where t.step_slug = 'each' and t.status = 'completed'" == 3
    end, 30, "all elements but one")
    before:stop()
    local fresh = new:start("crossing", "[5, 6]")

    local old = old_database()
    copy_rows(new, old)
    new:text "delete from pgmq.q_crossing; delete from pgflow.runs; delete from pgflow.step_tasks; delete from pgflow.step_states"
    here:stop_workers()
    here.db = old
    here:succeed("migrate")
    assert.same({ kinds = "", latest = LAST_OLD + 1 }, {
      kinds = old:text "select coalesce(string_agg(s.kind, ','), '') from pgflow.steps s",
      latest = old:number(("select min(m.version) from pgflow.migrations m where m.version > %d"):format(LAST_OLD)),
    })
    assert.same({}, old:rows "select * from pgflow.check_invariants(true)")

    local after = here:worker { args = { "--executors", "1" } }
    assert.equal("verified", after:log("deployed_flow")[1].status)
    assert.same({ 100, 110 }, { tonumber(old:await_run(half).output.sum), tonumber(old:await_run(fresh).output.sum) })
    assert.equal("array f, map t, single f", old:text
      "select string_agg(s.kind || ' ' || s.is_transactional::text::char, ', ' order by s.step_index) from pgflow.steps s")
    here:stop_workers()
    here:assert_consistent()

    here.root:write("flows/crossing.lua", (FLOW:gsub(", transaction = true", ""):gsub("ctx.tx:query", "ctx:query")))
    local text, code = here:refusal { args = { "--executors=1", "--log-format", "text" } }
    assert.equal(4, code, text)
    said.assert_says(text, "Step at index 1: transaction: in the modules 'false', in the database 'true'")
  end)
end)
