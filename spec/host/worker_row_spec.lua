-- What a worker and its row in the database tell of each other: that the row is gone, and that recovery fails.
local cjson = require "cjson"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "listed" }:step({ slug = "only" }, function() return "done" end)
]]

describe("the row of a worker", function()
  local here

  before_each(function() here = scene.open { ["flows/listed.lua"] = FLOW } end)
  after_each(function() here:close() end)

  local function assert_forgotten(worker)
    assert.same({ code = 1 }, worker.process:wait(30))
    local said = worker:log "worker_unknown"
    assert.equal(1, #said)
    assert.truthy(said[1].reason:find("the database was created again, or the row was deleted", 1, true))
    assert.equal("start the worker again", said[1].hint)
    here.workers = {}
    worker.process:forget()
  end

  it("is gone with a database that was created again: it ends with exit 1 and says so", function()
    local worker = here:worker()
    here.db:drop()
    here.db:make "luaflow_template"
    assert_forgotten(worker)
  end)

  it("was deleted: it ends with exit 1 and says so", function()
    local worker = here:worker()
    here.db:text "delete from pgflow.workers"
    assert_forgotten(worker)
  end)

  it("is stopped by an operator: it ends with exit 0", function()
    local worker = here:worker()
    here.db:text "update pgflow.workers set stopped_at = clock_timestamp()"
    assert.same({ code = 0 }, worker.process:wait(30))
    assert.equal(0, #worker:log "worker_unknown")
  end)

  it("says that recovery fails, to doctor and in the list, until it works again", function()
    local worker = here:worker()
    local function findings()
      local found = {}
      for _, finding in ipairs(cjson.decode(here:luaflow({ "doctor", "--json" }).out)) do
        if finding.check == "workers" then found[#found + 1] = finding end
      end
      return found
    end
    local definition = here.db:text "select pg_get_functiondef('pgflow.recover_tasks(uuid)'::regprocedure)"
    here.db:text [[create or replace function pgflow.recover_tasks(p_worker_id uuid)
      returns table (run_id uuid, step_slug text, task_index int, reason text, outcome text)
      language plpgsql as $$ begin raise 'permission denied for table audit' using errcode = '42501'; end $$]]
    local function troubles() return here.db:text "select string_agg(t.trouble, ',') from pgflow.worker_troubles t" end
    wait.till(function() return troubles() == "recovery" end, 30, "recovery to fail")
    local found = findings()
    assert.equal(1, #found)
    assert.equal("problem", found[1].level)
    assert.truthy(found[1].message:find "^worker .* of queue listed, since 20.*: recovery fails: .*permission denied for table audit$",
      found[1].message)
    assert.truthy(here:luaflow({ "workers" }).out:find("recovery fails", 1, true))
    here.db:text(definition)
    wait.till(function() return troubles() == "" end, 30, "recovery to work")
    assert.equal("ok", findings()[1].level)
    assert.same({ 1, 1 }, { #worker:log "recovery_failed", #worker:log "recovery_works_again" })
  end)
end)
