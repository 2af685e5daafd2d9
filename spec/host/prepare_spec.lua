-- A transaction that starts a run is never prepared, whether or not a worker listens.
local database = require "spec.support.database"
local scene = require "spec.support.scene"
local server = require "spec.support.server"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "heard" }:step({ slug = "only", start_delay = 60 }, function() return "done" end)
]]

describe("PREPARE TRANSACTION", function()
  local own, here

  setup(function()
    own = server.open()
    database.at(own.conninfo):text "alter system set max_prepared_transactions = 5"
    own:stop "fast"
    own:start()
    here = scene.open({ ["flows/heard.lua"] = FLOW }, own:database())
  end)

  teardown(function()
    if here then here.root:remove() end
    own:close()
  end)

  local function assert_refused(sql)
    local result = here.db:try("begin; " .. sql .. "; prepare transaction 'spec'")
    here.db:try "rollback prepared 'spec'"
    assert.truthy(result.err:find("cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY", 1, true), result.err)
  end

  it("is refused after a start and a cancel, with a live worker and without", function()
    local worker = here:worker()
    local id = here.db:start "heard"
    assert_refused "select from pgflow.start_flow('heard', '{}')"
    worker:stop()
    here.workers = {}
    assert_refused "select from pgflow.start_flow('heard', '{}')"
    assert_refused(("select from pgflow.cancel_run('%s', 'spec')"):format(id))
    assert.equal("1", here.db:text "select count(*) from pgflow.runs")
  end)
end)
