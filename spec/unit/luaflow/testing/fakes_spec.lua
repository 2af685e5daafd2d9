-- The database and HTTP of a run in memory.
local http = require "luaflow.http"
local luaflow = require "luaflow"
local testing = require "luaflow.testing"

local function run(fn, opts, step_opts)
  step_opts = step_opts or {}
  step_opts.slug, step_opts.max_attempts = "a", 1
  return testing.run(luaflow.flow { slug = "f" }:step(step_opts, fn), 1, opts)
end

local function output(...)
  local result = run(...)
  assert.is_nil(result.error_message)
  return result.output.a
end

describe("ctx:query and ctx.tx:query", function()
  it("are answered by the test's function", function()
    local asked = {}
    local opts = { query = function(...)
      asked[#asked + 1] = { n = select("#", ...), ... }
      return { { id = 1, name = "x" }, { id = 2 } }
    end }
    assert.same({ 2, { "id", "name" }, "x", false }, output(function(_, ctx)
      local rows = ctx:query("select $1, $2", nil, luaflow.pg_array { 1 })
      ctx.tx:query "insert"
      return { rows.n, rows.columns, rows[1].name, rows[2].name ~= nil }
    end, opts, { transaction = true }))
    assert.same({ 3, "select $1, $2", nil }, { asked[1].n, asked[1][1], asked[1][2] })
    assert.same({ n = 1, "insert" }, asked[2])
  end)

  it("give the n and columns that the function gives", function()
    assert.same({ 7, { "z" }, 0 }, output(function(_, ctx)
      local rows = ctx:query "update"
      return { rows.n, rows.columns, #rows }
    end, { query = function() return { n = 7, columns = { "z" } } end }))
    assert.same({ { id = 1 } }, output(function(_, ctx) return ctx:query "x" end, { query = function() return { n = 1, { id = 1 } } end }))
    assert.same(0, output(function(_, ctx) return ctx:query("x").n end, { query = function() end }))
  end)

  it("raise the errors that the function raises", function()
    local opts = { query = function() error { message = "duplicate key", sqlstate = "23505", detail = "(7)" } end }
    assert.same({ "23505", "database", "duplicate key" }, output(function(_, ctx)
      local ok, problem = pcall(ctx.query, ctx, "insert")
      assert(not ok)
      return { problem.sqlstate, problem.kind, problem.message }
    end, opts))
    local result = run(function(_, ctx) ctx:query "insert" end, opts)
    assert.truthy(result.error_message:find("duplicate key (SQLSTATE 23505): (7)", 1, true))
    assert.same("(7)", result.errors[1].detail)
    result = run(function(_, ctx) ctx:query "x" end, { query = function() error "a bug of the test" end })
    assert.truthy(result.error_message:find "fakes_spec.lua:%d+: a bug of the test$")
  end)

  it("refuse parameters that the host refuses, and a step without a transaction", function()
    local opts = { query = function() return {} end }
    local result = run(function(_, ctx) ctx:query("x", print) end, opts)
    assert.truthy(result.error_message:find "fakes_spec.lua:%d+: ctx:query: parameter 1: a function cannot be sent to the database$")
    result = run(function(_, ctx) ctx.tx:query "x" end, opts)
    assert.truthy(result.error_message:find('set transaction = true on step "a"', 1, true))
  end)

  it("say how they are answered where nobody does", function()
    local result = run(function(_, ctx) ctx:query "x" end)
    assert.truthy(result.error_message:find("ctx:query needs a function of the test: testing.run(flow, input, { query = ", 1, true))
  end)

  it("refuse the ctx of another task", function()
    local kept
    local flow = luaflow.flow { slug = "f", max_attempts = 1 }:map({ slug = "a" }, function(element, ctx)
      if element == 1 then
        kept = ctx
        ctx:sleep(5)
      else
        kept:query "x"
      end
    end)
    local result = testing.run(flow, { 1, 2 }, { query = function() return {} end })
    assert.truthy(result.error_message:find("ctx:query was called with the ctx of another task", 1, true))
  end)
end)

describe("luaflow.http", function()
  it("is answered by the test's function", function()
    local seen
    local opts = { http = function(request)
      seen = request
      return { status = 201, headers = { ["X-Id"] = 5 }, json = { ok = true } }
    end }
    assert.same({ 201, "5", true }, output(function()
      local response = http.request { url = "http://x/", json = { a = 1 }, headers = { Accept = "y" } }
      return { response.status, response.headers["x-id"], response:json().ok }
    end, opts))
    assert.same({ "POST", "http://x/", '{"a":1}', "y", "application/json" },
      { seen.method, seen.url, seen.body, seen.headers.accept, seen.headers["content-type"] })
    assert.same({ 200, "text" }, output(function()
      local response = http.request { url = "http://x/" }
      return { response.status, response.body }
    end, { http = function() return { body = "text" } end }))
  end)

  it("raises the errors that the function raises", function()
    assert.same("dns", output(function()
      local _, problem = pcall(http.request, { url = "http://x/" })
      return problem.kind
    end, { http = function() error { kind = "dns", message = "no such host" } end }))
    local result = run(function() http.request { url = "http://x/" } end, { http = function() return "text" end })
    assert.truthy(result.error_message:find("must return a response, not a string", 1, true))
  end)

  it("says how it is answered where nobody does, and works only inside a task", function()
    local result = run(function() http.request { url = "http://x/" } end)
    assert.truthy(result.error_message:find("luaflow.http needs a function of the test", 1, true))
    assert.has_error(function() http.request { url = "http://x/" } end)
  end)
end)
