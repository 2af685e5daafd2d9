-- A database whose locale folds I to a letter that is not i; servers that do not speak English.
local database = require "spec.support.database"
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local said = require "spec.support.said"
local server = require "spec.support.server"
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

-- What luaflow adds to an error depends on no word of the server's.
for language, word in pairs { de = "existiert nicht", ru = "не существует" } do
  describe("a server that speaks " .. language, function()
    local own, db

    setup(function()
      own = server.open { LANGUAGE = language }
      db = own:database()
    end)
    teardown(function() own:close() end)

    local function assert_says(command, conninfo, ...)
      local result = process.run { argv = { process.luaflow(), command, "--database", conninfo, "INVOICE" } }
      assert.equal(6, result.code, result.err)
      said.assert_says(result.err, ...)
    end

    it("has its refusals and errors explained", function()
      if not db:try("select nowhere").err:find(word, 1, true) then pending "this server has no translations" end
      db:text [[
        create role spec_mute; create role spec_poor login; select pgflow.create_flow('INVOICE'), pgflow.add_step('INVOICE', 'PRINT')]]
      local login = "create role NAME login"
      assert_says("start", db.conninfo .. " user=spec_nobody", word, "spec_nobody", login)
      assert_says("start", db.conninfo .. " user=spec_mute", "spec_mute", login, "alter role NAME login")
      assert_says("start", db.conninfo .. " options='-c unheard_of=1'", "the server does not know a setting in options")
      assert_says("start", db.conninfo .. " options='-c geqo=zz'", "the server refuses the value of a setting in options")
      assert_says("start", db.conninfo .. " user=spec_poor options='-c log_statement=all'", "the role has no right to a setting in options")
      assert_says("start", db.conninfo .. " user=spec_poor", "pgflow", "grant pgflow_starter to spec_poor")
      db:text "drop table pgmq.q_invoice cascade"
      assert_says("start", db.conninfo, word, "it creates a dropped queue again")
    end)

    it("has a worker's refusals explained", function()
      local root = flows.root { ["flows/invoice.lua"] = INVOICE }
      local here = worker.launch(database.at(db.conninfo .. " user=spec_nobody"), root, { args = { "--executors", "1" } })
      local lost = here:await_log("database_lost", 30)
      said.assert_says(lost.hint, "create role NAME login")
      here.process:kill()
      here.process:forget()
      root:remove()
    end)
  end)
end
