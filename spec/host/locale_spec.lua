-- A database whose locale folds I to a letter that is not i.
local database = require "spec.support.database"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local worker = require "spec.support.worker"

local INVOICE = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "INVOICE" }:step({ slug = "PRINT" }, function(input) return input end)
]]

describe("a Turkish database", function()
  local db, root

  before_each(function()
    db = database.create "template0 encoding 'UTF8' locale_provider icu icu_locale 'tr-TR'"
    root = flows.root { ["flows/invoice.lua"] = INVOICE }
    local migrated = process.run { argv = { process.luaflow(), "migrate", "--database", db.conninfo } }
    assert.equal(0, migrated.code, migrated.err)
  end)

  after_each(function()
    root:remove()
    db:drop()
  end)

  it("runs a flow with capital letters, and knows that another one differs only in case", function()
    assert.equal("ı", db:text "select lower('I')")
    local here = worker.start(db, root, { args = { "--executors", "1" } })
    assert.equal("completed", db:complete("INVOICE", "1").status)
    assert.equal(0, here:stop().code)
    assert.equal("t", db:text "select to_regclass('pgmq.q_invoice') is not null")
    local refused = db:try "select pgflow.create_flow('invoice')"
    assert.not_equal(0, refused.code)
    here.process:forget()
  end)
end)
