local fake_host = require "spec.support.fake_host"
local luaflow = require "luaflow"
local pg = require "luaflow.pg"

-- The texts of parameters, with "<null>" for null.
local function texts(...)
  local list, count = pg.parameters(fake_host.new().encode, ...)
  if not list then return nil, count end
  for i = 1, count do
    if not list[i] then list[i] = "<null>" end
  end
  return list
end

describe("parameters of a statement", function()
  it("are texts that the server reads by the type it infers", function()
    assert.same({ "true", "false", "a'b", "", "12", "-0.5", "1e+300" }, texts(true, false, "a'b", "", 12, -0.5, 1e300))
    assert.same({ "1000000000000000", "9007199254740993", "18446744073709551615" },
      texts(1e15, 9007199254740993LL, 18446744073709551615ULL))
    assert.same({ "NaN", "Infinity", "-Infinity", "0.1", "0.30000000000000004" },
      texts(0 / 0, math.huge, -math.huge, 0.1, 0.1 + 0.2))
  end)

  it("are counted, null ones at the end too", function()
    assert.same({ "<null>", "1", "<null>", "<null>" }, texts(nil, 1, luaflow.null, nil))
    local list, count = pg.parameters(fake_host.new().encode)
    assert.same({ {}, 0 }, { list, count })
  end)

  it("are JSON for tables", function()
    assert.same({ '{"a":[1,null]}', "[]", "{}" }, texts({ a = luaflow.array { 1, luaflow.null } }, luaflow.array(), luaflow.object()))
    local _, message = texts { a = { print } }
    assert.truthy(message:find "^parameter 1.a%[1%]: function")
  end)

  it("are arrays, nested ones too", function()
    local array = luaflow.pg_array
    assert.same({ "{1,2.5,NULL}", '{"a","b\\"c","d\\\\","NULL","","{}"}' },
      texts(array { 1, 2.5, luaflow.null }, array { "a", 'b"c', "d\\", "NULL", "", "{}" }))
    assert.same({ "{{1,2},{3,4}}", "{{1},{2}}", "{}", '{"true","{\\"k\\":1}"}' },
      texts(array { { 1, 2 }, { 3, 4 } }, array { array { 1 }, luaflow.array { 2 } }, array {}, array { true, { k = 1 } }))
  end)

  it("are bytes", function()
    assert.same({ "\\x00ff5c" }, texts(luaflow.pg_bytea "\0\255\\"))
  end)

  it("that cannot be sent are named", function()
    local function refused(...)
      local list, message = texts(...)
      assert.is_nil(list)
      return message
    end
    assert.equal("parameter 2: a function cannot be sent to the database", refused(1, print))
    assert.equal("parameter 1: a string with a NUL byte: send bytes with luaflow.pg_bytea", refused "a\0")
    assert.equal("parameter 1[2]: a string with a NUL byte: send bytes with luaflow.pg_bytea", refused(luaflow.pg_array { "a", "\0" }))
    local holes = "parameter 1: pg_array needs a list without holes: write luaflow.null for null"
    assert.equal(holes, refused(luaflow.pg_array { a = 1 }))
    assert.equal(holes, refused(luaflow.pg_array { 1, [3] = 3 }))
    local itself = luaflow.array()
    itself[1] = itself
    assert.equal("parameter 1[1][1][1][1][1][1]: an array of more than 6 dimensions", refused(luaflow.pg_array(itself)))
  end)

  it("need a list or a string for the helpers", function()
    assert.has_error(function() luaflow.pg_array(1) end)
    assert.has_error(function() luaflow.pg_bytea {} end)
    local ok, message = pcall(function() luaflow.pg_array "a" end)
    assert.is_false(ok)
    assert.truthy(message:find "pg_spec.lua:%d+: luaflow.pg_array: a list is needed, not a string")
  end)
end)

describe("host.query", function()
  -- A host whose answers are given, and what it was asked.
  local function host_that(...)
    local host, asked, answer = fake_host.new(), {}, { ... }
    pg.bind(host, function(...)
      asked[#asked + 1] = { ... }
      return unpack(answer, 1, 4)
    end)
    return host, asked
  end

  it("gives rows with n and columns, written as an array", function()
    local host, asked = host_that(true, { { a = 1 } }, 1, { "a", "b" })
    local rows = host.query("select $1", 5)
    assert.same({ 1, 1, { "a", "b" } }, { #rows, rows.n, rows.columns })
    assert.equal('[{"a":1}]', host.encode(rows))
    assert.same({ { false, "select $1", 1, { "5" } } }, asked)
    local names = {}
    for name in pairs(rows) do names[#names + 1] = name end
    assert.same({ 1 }, names)
    host.tx_query "select 1"
    assert.is_true(asked[2][1])
  end)

  it("keeps an empty result an array", function()
    local host = host_that(true, {}, 0, { "a" })
    local rows = host.query "select 1 where false"
    assert.equal("[]", host.encode(rows))
    assert.is_true(#luaflow.map(rows, tostring) == 0)
  end)

  it("raises tables with the place of the call", function()
    local host = host_that(false, { message = "no such thing", sqlstate = "42P01", kind = "database", detail = "secret" })
    local ok, problem = pcall(function() local rows = host.query "select" return rows end)
    assert.is_false(ok)
    assert.same({ "42P01", "secret", nil }, { problem.sqlstate, problem.detail, problem.restarts })
    assert.truthy(tostring(problem):find "pg_spec.lua:%d+: no such thing %(SQLSTATE 42P01%)$")
  end)

  it("points to pg_array where a list went as JSON", function()
    local fields = { message = 'malformed array literal: "[1,2]"', sqlstate = "22P02" }
    local function problem_of(...)
      local copy = { message = fields.message, sqlstate = fields.sqlstate, hint = "of the server" }
      local _, problem = pcall(host_that(false, copy).query, "select any($1)", ...)
      return problem
    end
    assert.truthy(tostring(problem_of { 1, 2 }):find("(SQLSTATE 22P02): send a list as an array with luaflow.pg_array(list)", 1, true))
    assert.equal("of the server", problem_of("[1,2]").hint)
    assert.equal("of the server", problem_of(luaflow.pg_array { 1 }).hint)
    assert.truthy(tostring(problem_of "[1,2]"):find "%(SQLSTATE 22P02%): of the server$")
  end)

  it("marks conflicts inside the transaction", function()
    local host = host_that(false, { message = "deadlock", sqlstate = "40P01" })
    local _, outside = pcall(host.query, "select 1")
    assert.is_nil(outside.restarts)
    local inner = host_that(false, { message = "deadlock", sqlstate = "40P01" })
    local _, inside = pcall(inner.tx_query, "select 1")
    assert.is_true(inside.restarts)
  end)

  it("refuses what is no statement", function()
    local host, asked = host_that(true, {}, 0, {})
    assert.has_error(function() host.query(nil) end)
    assert.has_error(function() host.query "select '\0'" end)
    assert.has_error(function() host.query("select $1", print) end)
    assert.same({}, asked)
  end)
end)
