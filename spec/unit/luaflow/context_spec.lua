local context = require "luaflow.context"
local fake_host = require "spec.support.fake_host"

local TASK = {
  run_id = "r", flow_slug = "f", step_slug = "s", task_index = 0, attempt = 1, max_attempts = 3, queue = "q",
  worker_id = "w", deadline = 1030,
}

describe("ctx", function()
  it("has the fields of its task and the environment", function()
    local ctx = context.new(fake_host.new(), TASK)
    for name, value in pairs(TASK) do assert.same(value, ctx[name]) end
    assert.same("/home/of/spec", ctx.env.HOME)
    assert.is_nil(ctx.env.NOT_SET)
  end)

  it("has an environment that can be walked, and is a copy of the task's own", function()
    local host = fake_host.new { env = { HOME = "/home/of/spec", LANG = "C" } }
    local ctx, found = context.new(host, TASK), {}
    for name, value in pairs(ctx.env) do found[name] = value end
    assert.same({ HOME = "/home/of/spec", LANG = "C" }, found)
    assert.equal(ctx.env, ctx.env)
    ctx.env.LANG = "de"
    assert.equal("C", host.env.LANG)
    assert.equal("C", context.new(host, TASK).env.LANG)
  end)

  it("lacks what its task lacks", function()
    assert.is_nil(context.new(fake_host.new(), {}).run_id)
  end)

  it("is read-only", function()
    local ctx = context.new(fake_host.new(), TASK)
    assert.has_error(function() ctx.attempt = 2 end, "ctx is read-only: attempt cannot be set")
    assert.has_error(function() ctx.mine = 2 end, "ctx is read-only: mine cannot be set")
    assert.has_error(function() ctx.env.NEW = "x" end, "ctx.env is read-only: NEW cannot be set")
    assert.has_error(function() setmetatable(ctx, nil) end)
  end)

  it("says what it does not have, with the nearest name", function()
    local ctx = context.new(fake_host.new(), TASK)
    local ok, message = pcall(function() return ctx.runid end)
    assert.is_false(ok)
    assert.truthy(message:find 'context_spec.lua:%d+: ctx has no runid: did you mean "run_id"%?$')
    ok, message = pcall(function() return ctx:colour() end)
    assert.is_false(ok)
    assert.truthy(message:find "ctx has no colour: it has attempt, cancelled, deadline, ")
    ok, message = pcall(function() return ctx.http end)
    assert.is_false(ok)
    assert.truthy(message:find 'ctx has no http: require "luaflow.http"$')
  end)

  it("logs with level, message and fields", function()
    local host = fake_host.new()
    local ctx = context.new(host, TASK)
    ctx:log("info", "priced", { lines = 2 })
    ctx:log("warn", 5)
    assert.same({ { level = "info", message = "priced", fields = { lines = 2 } }, { level = "warn", message = "5" } }, host.lines)
  end)

  it("refuses unknown levels and fields that are no table", function()
    local ctx = context.new(fake_host.new(), TASK)
    assert.has_error(function() ctx:log("loud", "x") end, "ctx:log: level must be debug, info, warn or error, not loud")
    assert.has_error(function() ctx:log("info", "x", "y") end, "ctx:log: fields must be a table")
  end)

  it("sleeps", function()
    local host = fake_host.new()
    context.new(host, TASK):sleep(1.5)
    assert.same(1001.5, host.time)
  end)

  it("refuses to sleep for what is no time", function()
    local ctx = context.new(fake_host.new(), TASK)
    for _, seconds in ipairs { -1, "1", 0 / 0, math.huge } do
      assert.has_error(function() ctx:sleep(seconds) end, "ctx:sleep: seconds must be a number of 0 or more")
    end
    assert.has_error(function() ctx:sleep() end)
  end)

  it("asks the host for the run's input and whether it drains", function()
    local ctx = context.new(fake_host.new { flow_input = function() return { 1 } end, stopping = function() return true end }, TASK)
    assert.same({ 1 }, ctx:flow_input())
    assert.is_true(ctx:stopping())
  end)

  it("asks the host for statements, and only for its own task", function()
    local asked = {}
    local function query(...)
      asked[#asked + 1] = { select("#", ...), ... }
      return { n = 0 }
    end
    local host = fake_host.new { query = query, tx_query = query, task = function() return 7 end }
    local ctx = context.new(host, { number = 7, step_slug = "pay", transaction = true })
    assert.same({ n = 0 }, ctx:query("select $1", nil))
    assert.same({ n = 0 }, ctx.tx:query("select 2"))
    assert.same({ { 2, "select $1" }, { 1, "select 2" } }, asked)
    local other = context.new(host, { number = 8, transaction = true })
    assert.has_error(function() other:query "select 1" end, "ctx:query was called with the ctx of another task")
    assert.has_error(function() other.tx:query "select 1" end, "ctx.tx:query was called with the ctx of another task")
    context.close(ctx)
    assert.has_error(function() ctx:query "select 1" end, "ctx:query was called after its handler had returned")
    assert.has_error(function() ctx.tx:query "select 1" end, "ctx.tx:query was called after its handler had returned")
  end)

  it("has a transaction only where its step has one", function()
    local ctx = context.new(fake_host.new(), TASK)
    assert.has_error(function() ctx.tx:query "select 1" end,
      'ctx.tx: this step has no transaction; set transaction = true on step "s"')
    assert.has_error(function() ctx.tx.query "select 1" end, "call it with a colon: ctx.tx:query(sql, ...)")
    assert.has_error(function() return ctx.tx.commit end, "ctx.tx has no commit: it has query")
    assert.has_error(function() ctx.tx.x = 1 end, "ctx.tx is read-only: x cannot be set")
  end)

  it("says how to call a method that was called with a dot", function()
    local ctx = context.new(fake_host.new(), TASK)
    assert.has_error(function() ctx.sleep(1) end, "call it with a colon: ctx:sleep(seconds)")
    assert.has_error(function() ctx.flow_input() end, "call it with a colon: ctx:flow_input()")
  end)
end)
