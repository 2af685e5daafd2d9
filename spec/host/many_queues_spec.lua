-- A first deployment creates many queues in one statement, which takes as long as the server is slow: it is waited for, not repeated.
local scene = require "spec.support.scene"

local FLOWS = [[
local luaflow = require "luaflow"
local flows = {}
for i = 1, 40 do
  flows[i] = luaflow.deploy(luaflow.flow { slug = "flow_" .. i }
    :step({ slug = "first" }, function(input) return input end)
    :step({ slug = "second", depends_on = { "first" } }, function(deps) return deps.first end), { routes = { second = "main" } })
end
return luaflow.worker { queue = "main", flows = flows }
]]

-- The tables of the queues alone take as long as a statement of another kind is waited for, 8 s.
local SLOW = [[
  create function public.slow() returns event_trigger language plpgsql as $$ begin perform pg_sleep(0.1); end $$;
  create event trigger slow on ddl_command_end when tag in ('CREATE TABLE') execute function public.slow()]]

describe("a worker whose flows have many queues", function()
  it("deploys them at its first try", function()
    local here = scene.open { ["flows/many.lua"] = FLOWS }
    finally(function() here:close() end)
    here.db:text(SLOW)
    local worker = here:launch { args = { "--executors", "1" } }
    worker:await_log("running", 60)
    assert.equal(0, #worker:log "deployment_failed")
    assert.equal(0, #worker:log "database_lost")
    assert.equal(40, #worker:log "deployed_flow")
    assert.equal(41, here.db:number "select count(*) from pgflow.queues")
  end)
end)
