-- npm's @pgflow/client, unchanged, against a worker with Lua handlers: only Supabase's transport is a stand-in
-- (spec/support/pgflow_client.mjs).
local cjson = require "cjson"
local process = require "spec.support.process"
local scene = require "spec.support.scene"

local FLOWS = [[
local luaflow = require "luaflow"

local greet = luaflow.flow { slug = "client_greet" }
  :step({ slug = "hello" }, function(input) return "hello " .. input.who end)
  :step({ slug = "shout", depends_on = { "hello" } }, function(deps) return deps.hello:upper() end)
local fails = luaflow.flow { slug = "client_fails", max_attempts = 1 }:step({ slug = "only" }, function() luaflow.fail "no luck" end)
local typed = luaflow.flow { slug = "client_typed" }
  :step({ slug = "list" }, function() return "no list" end)
  :map({ slug = "each", array = "list" }, function(item) return item end)
local slow = luaflow.flow { slug = "client_slow" }:step({ slug = "nap" }, function(_, ctx) ctx:sleep(60) end)

return luaflow.worker { queue = "client", name = "client", flows = {
  luaflow.deploy(greet, { routes = { hello = "client", shout = "client" } }), luaflow.deploy(fails, { routes = { only = "client" } }),
  luaflow.deploy(typed, { routes = { list = "client", each = "client" } }), luaflow.deploy(slow, { routes = { nap = "client" } }),
} }
]]

-- What Supabase has for events.
local REALTIME = [[
  create schema realtime;
  create table realtime.messages (n bigserial, topic text, event text, payload jsonb);
  create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void language sql as $$
    insert into realtime.messages (topic, event, payload) values (topic, event, payload)
  $$;
]]

describe("pgflow's client", function()
  local here

  before_each(function() here = scene.open { ["flows/client.lua"] = FLOWS } end)
  after_each(function() here:close() end)

  it("starts, waits, and learns of steps, failures, type violations, cancellations and unknown flows", function()
    here.db:text(REALTIME)
    here:worker { args = { "--queue", "client", "--executors", "1" } }
    local data = os.getenv "XDG_DATA_HOME" or os.getenv "HOME" .. "/.local/share"
    local result = process.run {
      argv = { "node", "spec/support/pgflow_client.mjs" },
      env = { LUAFLOW_CLIENT = data .. "/luaflow/pgflow-client-0.8.1", LUAFLOW_CLIENT_CONNINFO = here.db.conninfo },
      seconds = 120,
    }
    assert.equal(0, result.code, result.err)
    local answer = cjson.decode(result.out)
    assert.same({ "client_greet", "hello", "shout" }, answer.definition)
    assert.same({ shout = "HELLO ADA" }, answer.greet.output)
    assert.equal("HELLO ADA", answer.greet.shout)
    assert.equal(0, answer.greet.remaining)
    assert.equal("shout completed", answer.greet.events[#answer.greet.events])
    assert.equal("failed", answer.fails.step)
    assert.equal("flows/client.lua:6: no luck", answer.fails.run)
    assert.equal("flows/client.lua:6: no luck", answer.fails.error)
    assert.equal("[TYPE_VIOLATION] Map step each expects array input but dependency list produced string", answer.typed)
    assert.equal("no longer needed", answer.cancelled)
    assert.same({ "failed", "started" }, answer.again)
    assert.same({ "23503", "there is no flow or alias 'client_unknown'" }, answer.unknown)
    assert.equal(cjson.null, answer.nobody)
    here:assert_consistent()
  end)
end)
