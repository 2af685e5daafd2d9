-- The part of luaflow.http that is pure Lua, over a fake host: what is refused, what redirects do, dates. Real requests:
-- spec/host/http_spec.lua.
local fake_host = require "spec.support.fake_host"

describe("luaflow.http", function()
  local http, host, answers, sent, real

  before_each(function()
    answers, sent = {}, {}
    real = package.loaded["luaflow.host"]
    host = fake_host.new {
      decode = require "luaflow.testing.codec".decode,
      http = function(request)
        sent[#sent + 1] = request
        return unpack(table.remove(answers, 1), 1, 4)
      end,
    }
    package.loaded["luaflow.host"], package.loaded["luaflow.http"] = host, nil
    http = require "luaflow.http"
  end)

  after_each(function()
    package.loaded["luaflow.host"], package.loaded["luaflow.http"] = real, nil
  end)

  local function answer(fields)
    local given = { status = 200, headers = {}, body = "", url = "http://a/" }
    for name, value in pairs(fields or {}) do given[name] = value end
    answers[#answers + 1] = { given }
  end

  local function refused(options)
    local ok, problem = pcall(function() http.request(options) end)
    assert.is_false(ok)
    assert.equal("invalid", problem.kind)
    assert.same({}, sent)
    return problem.message
  end

  it("says outside a task that it works only inside one", function()
    package.loaded["luaflow.host"], package.loaded["luaflow.http"] = real, nil
    local ok, message = pcall(require("luaflow.http").request, { url = "http://a/" })
    assert.is_false(ok)
    assert.truthy(tostring(message):find("http works only inside a task", 1, true), tostring(message))
  end)

  it("refuses unknown options with the nearest one, and values of a wrong type, with the place", function()
    assert.truthy(refused({ url = "http://a/", timeot = 1 })
      :find 'http_spec.lua:%d+: http.request: unknown option timeot: did you mean "timeout"%?$')
    assert.truthy(refused("http://a/"):find("http.request{ url = ... }", 1, true))
    for _, options in ipairs {
      {}, { url = 1 }, { url = "http://a/\0" }, { method = 1 }, { method = "GET /" }, { method = "A\r\nB" }, { method = "CONNECT" },
      { method = "HEAD", body = "x" }, { body = 1 }, { body = "", json = 1 }, { json = print }, { timeout = "1" }, { timeout = 0 },
      { timeout = -1 }, { timeout = 0 / 0 }, { timeout = math.huge }, { redirects = 3 }, { ca_file = true }, { headers = "x" },
    } do
      if next(options) then options.url = options.url or "http://a/" end
      refused(options)
    end
  end)

  it("lets nobody splice headers", function()
    for _, name in ipairs { "a b", "a:", "", "a\r\nb", "a\nb", "a\0", "ä", 1, "Content-Length", "transfer-encoding", "Expect" } do
      refused { url = "http://a/", headers = { [name] = "x" } }
    end
    for _, value in ipairs { "a\r\nb: c", "a\nb", "a\rb", "a\0b", "a\127", true, {{}}, { "a", "b\n" }, print } do
      refused { url = "http://a/", headers = { name = value } }
    end
    assert.truthy(refused({ url = "http://a/", headers = { Accept = "1", accept = "2" } }):find("given twice", 1, true))
  end)

  it("hands on what is asked for", function()
    answer()
    http.request { url = "http://a/", headers = { B = { 1, "2" }, A = "x\ty" }, json = require("luaflow.json").null, timeout = 3 }
    assert.same({
      url = "http://a/", method = "POST", headers = { "A", "x\ty", "B", "1", "B", "2", "Content-Type", "application/json" },
      body = "null", timeout = 3,
    }, sent[1])
    answer()
    http.request { url = "http://a/", headers = { ["content-type"] = "x/y" }, json = {}, method = "put" }
    assert.same({ "PUT", { "content-type", "x/y" }, "{}" }, { sent[2].method, sent[2].headers, sent[2].body })
  end)

  it("encodes a query and a form, and spaces of the URL", function()
    local form = { b = { 1, true, "x y" }, ["a&"] = "é=?", n = 9007199254740993LL }
    local text = "a%26=%C3%A9%3D%3F&b=1&b=true&b=x%20y&n=9007199254740993"
    for url, wanted in pairs {
      ["http://a/b c"] = "http://a/b%20c?" .. text, ["http://a/?x=1"] = "http://a/?x=1&" .. text,
      ["http://a/#part"] = "http://a/?" .. text .. "#part",
    } do
      answer()
      http.request { url = url, query = form }
      assert.same(wanted, sent[#sent].url)
    end
    answer()
    http.request { url = "http://a/", form = form, query = {} }
    local last = sent[#sent]
    assert.same({ "http://a/", "POST", { "Content-Type", "application/x-www-form-urlencoded" }, text },
      { last.url, last.method, last.headers, last.body })
  end)

  it("refuses a URL without a scheme, and shows neither credentials nor query", function()
    for url, shown in pairs {
      ["localhost:8099/orders"] = "localhost:8099/orders", ["ftp://u:secret@a/?key=secret"] = "...@a/", [""] = "",
      ["http://"] = "http://",
    } do
      assert.truthy(refused({ url = url }):find(("url must begin with http:// or https://, and %q does not"):format(shown), 1, true))
    end
  end)

  it("refuses what is no query and no form, and two bodies", function()
    for message, options in pairs {
      ["query must be a table, not a string"] = { query = "a=1" },
      ["query: a must be a string, a number, a boolean or a list of them, not a function"] = { query = { a = print } },
      ["form: its names must be strings, not a number"] = { form = { "a" } },
      ["give json or form, not both"] = { json = 1, form = {} },
      ["give body or form, not both"] = { body = "", form = {} },
    } do
      options.url = "http://a/"
      assert.truthy(refused(options):find("http.request: " .. message, 1, true), message)
    end
  end)

  it("says of a body that is not JSON what was asked and what came, and gives a tail call the handler's place", function()
    local context, run = require "luaflow.context", require "luaflow.run"
    local function failure(fn)
      answer { status = 502, body = "<html>\n<body>Bad gateway" .. (" "):rep(100), url = "http://a/orders" }
      return run.task(host, { fn = fn, kind = "single", feeds_map = false }, context.new(host, {}), nil)
    end
    for _, fn in ipairs {
      function() local order = http.request { url = "http://u:p@a/orders?key=secret" }:json() return order end,
      function() return http.request { url = "http://u:p@a/orders?key=secret" }:json() end,
    } do
      local outcome = failure(fn)
      assert.same("failed", outcome.outcome)
      assert.truthy(outcome.message:find('"kind":"json"', 1, true), outcome.message)
      assert.truthy(outcome.message:find "http_spec.lua:%d+: GET http://a/orders answered 502, and its body is not JSON: ", outcome.message)
      assert.truthy(outcome.message:find('it starts with \\"<html> <body>Bad gateway', 1, true), outcome.message)
      assert.is_nil(outcome.message:find "secret")
    end
  end)

  it("raises tables", function()
    answers[1] = { nil, "dns", "no such host", "http://a/" }
    local ok, problem = pcall(function() http.request { url = "http://a/", method = "HEAD" } end)
    assert.is_false(ok)
    assert.same({ "dns", "http://a/" }, { problem.kind, problem.url })
    assert.truthy(problem.message:find "^.*http_spec.lua:%d+: HEAD http://a/: no such host$", problem.message)
    assert.equal(problem.message, tostring(problem))
  end)

  it("spends one timeout on all redirects", function()
    local function slowly(request)
      sent[#sent + 1] = request
      host.time = host.time + 2
      return { status = 302, headers = {}, body = "", url = "http://a/", redirect = "http://a/", same_origin = true }
    end
    host.http = slowly
    local ok, problem = pcall(http.request, { url = "http://a/", timeout = 5 })
    assert.same({ false, "timeout" }, { ok, problem.kind })
    assert.same({ 5, 3, 1 }, { sent[1].timeout, sent[2].timeout, sent[3].timeout })
    assert.equal(3, #sent)
  end)

  it("drops the body's headers with the body, and secrets at another origin", function()
    answer { status = 303, redirect = "http://b/", same_origin = false }
    answer()
    http.request { url = "http://a/", method = "PUT", json = 1, headers = { Authorization = "x", COOKIE = "x", Host = "x", Accept = "x" } }
    assert.same({ url = "http://b/", method = "GET", headers = { "Accept", "x" } }, sent[2])
  end)

  it("reads Retry-After as seconds, and as what the host makes of a date", function()
    local function after(text, of_date) return http.retry_after { headers = { ["retry-after"] = text }, retry_after = of_date } end
    assert.equal(120, after "120")
    assert.equal(0, after "0")
    assert.equal(30, after("Sun, 06 Nov 1994 08:49:37 GMT", 30))
    assert.equal(0, after("Sun, 06 Nov 1994 08:00:00 GMT", -5000))
    assert.equal(86400, after("Tue, 29 Feb 2000 00:00:00 GMT", 1e9))
    assert.equal(86400, after "99999999999999")
    assert.equal(86400, after(("9"):rep(400)))
    for _, text in ipairs { "", "soon", "-1", "1.5", "Sun, 06 Foo 1994 08:49:37 GMT" } do assert.is_nil(after(text)) end
    assert.is_nil(after(nil))
    answer { status = 503, headers = { "Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT" }, retry_after = 7 }
    assert.equal(7, http.retry_after(http.request { url = "http://a/" }))
  end)
end)
