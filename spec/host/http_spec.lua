-- luaflow.http against real servers: what is sent, what comes back, every kind of failure, many at once, and the end of a request at
-- its attempt's deadline.
local cjson = require "cjson"
local files = require "spec.support.files"
local guide = require "spec.support.guide"
local http = require "luaflow.http"
local http_server = require "spec.support.http_server"
local process = require "spec.support.process"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local REQUESTS = [[
local http, luaflow = require "luaflow.http", require "luaflow"
local system = require "system"
return luaflow.flow { slug = "requests", max_attempts = 1, timeout = 60 }
  :map({ slug = "many" }, function(url)
    local from = system.gettime()
    local response = http.request{ url = url }
    return { from = from, till = system.gettime(), status = response.status, body = response.body }
  end)
]]

local LATE = [[
local http, luaflow = require "luaflow.http", require "luaflow"
return luaflow.flow { slug = "late", max_attempts = 1, timeout = 1 }
  :step({ slug = "waits" }, function(url) return http.request{ url = url }.status end)
]]

local WRONG = [[
local http, luaflow = require "luaflow.http", require "luaflow"
return luaflow.flow { slug = "wrong", max_attempts = 1 }
  :step({ slug = "refused" }, function(url)
    local response = http.request{ url = url }
    return response.status
  end)
]]

describe("http.request", function()
  local server

  setup(function() server = http_server.open() end)
  teardown(function() server:close() end)

  local function url_of(path, user)
    return ("http://%s127.0.0.1:%d%s"):format(user or "", server.port, path)
  end

  local function request(path, options)
    options = options or {}
    options.url = url_of(path, options.user)
    options.user = nil
    return http.request(options)
  end

  local function failure_of(options)
    local ok, problem = pcall(http.request, options)
    assert.is_false(ok)
    assert.equal("table", type(problem), tostring(problem))
    assert.equal(problem.message, tostring(problem))
    return problem
  end

  local function stats() return request "/stats":json() end

  it("sends method, headers and body as they are given", function()
    local sent = request("/echo?a=b%20c", {
      method = "patch", body = "a\0b\255", headers = { ["X-One"] = "eins", ["x-list"] = { "1", "2" }, ["X-Number"] = 7, ["X-Empty"] = "" },
    })
    assert.equal(200, sent.status)
    assert.equal("application/json", sent.headers["content-type"])
    local got = cjson.decode(sent.body)
    assert.same({ "PATCH", "/echo?a=b%20c", "a\0b\255" }, { got.method, got.target, got.body })
    assert.same({ "eins", "7", "" }, { got.headers["x-one"], got.headers["x-number"], got.headers["x-empty"] })
    assert.is_nil(got.headers["content-type"])
    assert.truthy(table.concat(got.lines, "\n"):find("x-list: 1\nx-list: 2", 1, true))
  end)

  it("is a GET without and a POST with a body, which json encodes", function()
    local got = request "/echo":json()
    assert.same({ "GET", "" }, { got.method, got.body })
    got = request("/echo", { json = { list = require("luaflow").array(), n = 9007199254740993LL } }):json()
    assert.same({ "POST", '{"list":[],"n":9007199254740993}', "application/json" }, { got.method, got.body, got.headers["content-type"] })
    got = request("/echo", { method = "DELETE" }):json()
    assert.same({ "DELETE" }, { got.method, got.headers["content-length"] })
    assert.equal("0", request("/echo", { method = "PUT" }):json().headers["content-length"])
    assert.same({ 200, "" }, { request("/echo", { method = "HEAD" }).status, request("/echo", { method = "HEAD" }).body })
  end)

  it("takes an error status as an answer, with its headers in lower case", function()
    local response = request "/answer?status=503&Retry-After=7&X-A=1&X-A=2&Set-Cookie=a=1&Set-Cookie=b=2&body=busy"
    assert.same({ 503, "busy", "7", "1, 2" }, {
      response.status, response.body, response.headers["retry-after"], response.headers["x-a"],
    })
    assert.equal("a=1\nb=2", response.headers["set-cookie"])
    assert.equal(7, http.retry_after(response))
  end)

  it("reads the date of Retry-After", function()
    local function after(text)
      return http.retry_after(request("/answer?status=503&Retry-After=" .. text:gsub(" ", "%%20")))
    end
    local in_a_minute = after(os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 60))
    assert.is_true(in_a_minute > 30 and in_a_minute <= 61, tostring(in_a_minute))
    assert.equal(0, after "Sun, 06 Nov 1994 08:49:37 GMT")
    assert.equal(0, after "Sunday, 06-Nov-94 08:49:37 GMT")
    assert.equal(86400, after "Fri, 31 Dec 2055 23:59:59 GMT")
    assert.is_nil(after "soon")
  end)

  it("uses credentials of the URL and tells them to nobody", function()
    assert.equal("Basic dXNlcjpwQHc=", request("/echo", { user = "user:p%40w@" }):json().headers.authorization)
    local problem = failure_of { url = url_of("/close?token=secret", "user:p%40w@") }
    assert.equal(url_of "/close", problem.url)
    assert.is_nil(problem.message:find("p@w", 1, true) or problem.message:find("p%40w", 1, true) or problem.message:find("secret", 1, true))
  end)

  it("follows redirects, ten at most, and none where that is asked for", function()
    assert.equal("/echo", request "/redirect/9":json().target)
    assert.equal("redirects", failure_of({ url = url_of "/redirect/10" }).kind)
    assert.equal(302, request("/redirect/1", { redirects = false }).status)
    assert.equal("redirects", failure_of({ url = url_of "/answer?status=302&Location=file:///etc/passwd" }).kind)
    assert.equal("redirects", failure_of({ url = url_of "/answer?status=302&Location=http://a%20b/" }).kind)
    assert.equal(302, request("/answer?status=302").status)
  end)

  it("makes a GET of a POST as redirects ask, and keeps the body of a 307", function()
    local function after(status)
      local got = request("/answer?status=" .. status .. "&Location=/echo", { json = { 1 } }):json()
      return { got.method, got.body, got.headers["content-type"] or "none" }
    end
    for _, status in ipairs { 301, 302, 303 } do assert.same({ "GET", "", "none" }, after(status)) end
    for _, status in ipairs { 307, 308 } do assert.same({ "POST", "[1]", "application/json" }, after(status)) end
  end)

  it("sends credentials to no other origin", function()
    local other = http_server.open()
    local function get(location, user)
      return request("/answer?status=302&Location=" .. location,
        { user = user, headers = { Authorization = "Bearer secret", Cookie = "secret", ["X-Other"] = "kept" } }):json().headers
    end
    local function user_sent(location)
      return request("/answer?status=302&Location=" .. location, { user = "user:pw@" }):json().headers.authorization
    end
    local here, there = get "/echo", get(other.url .. "/echo", "user:pw@")
    local to_same, to_whole, to_other = user_sent "/echo", user_sent(server.url .. "/echo"), user_sent(other.url:sub(6) .. "/echo")
    other:close()
    assert.same({ "Basic dXNlcjpwdw==", "Basic dXNlcjpwdw==" }, { to_same, to_whole, to_other })
    assert.same({ "Bearer secret", "secret", "kept" }, { here.authorization, here.cookie, here["x-other"] })
    assert.same({ x = "kept" }, { x = there["x-other"], authorization = there.authorization, cookie = there.cookie })
  end)

  it("tells kinds of failures apart", function()
    local closed = http_server.open()
    closed:close()
    assert.equal("connect", failure_of({ url = closed.url }).kind)
    assert.equal("dns", failure_of({ url = "http://no-such-host.invalid/" }).kind)
    for _, path in ipairs { "/truncated", "/close", "/garbage" } do
      assert.equal("protocol", failure_of({ url = url_of(path) }).kind, path)
    end
    local from = wait.now()
    assert.equal("timeout", failure_of({ url = url_of "/sleep/30", timeout = 0.3 }).kind)
    assert.is_true(wait.now() - from < 5)
    for _, url in ipairs { "ftp://127.0.0.1/", "/echo", "127.0.0.1/echo", "http://a b/", "http://host:99999/", "file:///etc/passwd", "" } do
      assert.equal("invalid", failure_of({ url = url }).kind, url)
    end
  end)

  describe("a compressed answer", function()
    -- The path of an answer with what gzip makes of a shell command's output.
    local function compressed(command)
      local packed = process.run { argv = { "sh", "-c", command .. " | gzip -9" } }.out
      return "/answer?Content-Encoding=gzip&body=" .. packed:gsub(".", function(c) return ("%%%02x"):format(c:byte()) end)
    end

    it("is asked for and decoded, and its headers are those of the decoded body", function()
      local asked = cjson.decode(request("/echo").body).headers["accept-encoding"]
      assert.equal("gzip, deflate", asked)
      local response = request(compressed "printf '{\"a\": [1]}'")
      assert.same({ "{\"a\": [1]}", nil, nil }, { response.body, response.headers["content-encoding"], response.headers["content-length"] })
    end)

    it("is left as it is for a handler that asks for it by itself", function()
      local response = request(compressed "printf hello", { headers = { ["Accept-Encoding"] = "gzip" } })
      assert.equal("gzip", response.headers["content-encoding"])
      assert.equal("\31\139", response.body:sub(1, 2))
    end)

    it("is limited by what it decodes to", function()
      local ok, problem = pcall(request, compressed "head -c 64M /dev/zero")
      assert.same({ false, "too_large" }, { ok, problem.kind })
    end)
  end)

  it("limits the body by --max-output", function()
    assert.equal(16 * 1024 * 1024, #request("/big/16777216").body)
    for _, path in ipairs { "/big/16777217", "/endless" } do
      local problem = failure_of { url = url_of(path) }
      assert.equal("too_large", problem.kind)
      assert.truthy(problem.message:find("--max-output", 1, true), problem.message)
    end
  end)

  it("trusts only certificates of known authorities", function()
    local tls = http_server.open_tls()
    local ok, message = pcall(function()
      assert.equal("tls", failure_of({ url = tls.url }).kind)
      assert.equal(200, http.request({ url = tls.url, ca_file = tls.certificate }).status)
      local by_number = tls.url:gsub("localhost", "127.0.0.1") -- not in the certificate
      assert.equal("tls", failure_of({ url = by_number, ca_file = tls.certificate }).kind)
    end)
    tls:close()
    assert(ok, message)
  end)

  it("decodes JSON without loss, and says so where it is none", function()
    local value = request "/answer?body=%7B%22n%22:9007199254740993,%22list%22:[]%7D":json()
    assert.is_true(value.n == 9007199254740993LL)
    local ok, problem = pcall(http.json, request "/answer?body=oops")
    assert.is_false(ok)
    assert.equal("json", problem.kind)
    assert.truthy(problem.message:find("GET http://[^?]*/answer answered 200, and its body is not JSON: .*oops"), problem.message)
  end)

  it("uses a connection again", function()
    request "/echo"
    local before = stats().accepted
    for _ = 1, 20 do request "/echo" end
    assert.equal(before, stats().accepted)
  end)

  it("goes through the proxy of the environment", function()
    local folder = files.temporary_folder()
    files.write(folder .. "/script.lua", [[
      local http = require "luaflow.http"
      print(http.request({ url = "http://somewhere.invalid/echo" }):json().target)
      print(http.request({ url = arg[1] }):json().target)
      print(select(2, pcall(http.request, { url = "https://somewhere.invalid/" })).kind)
    ]])
    local result = process.run {
      argv = { process.luaflow(), "lua", folder .. "/script.lua", server.url .. "/echo" },
      env = { http_proxy = server.url, https_proxy = server.url, no_proxy = "127.0.0.1" },
    }
    files.remove(folder)
    assert.same({ 0, "http://somewhere.invalid/echo\n/echo\nproxy\n", "" }, { result.code, result.out, result.err })
  end)

  it("works in the handler alone", function()
    local _, message = coroutine.resume(coroutine.create(function() http.request { url = server.url } end))
    assert.truthy(tostring(message):find("inside a coroutine that the handler created", 1, true), tostring(message))
  end)

  describe("in tasks", function()
    local here

    setup(function() server:close() end)
    before_each(function()
      server = http_server.open() -- it goes with the scene
      here = scene.open { ["flows/requests.lua"] = REQUESTS, ["flows/late.lua"] = LATE, ["flows/wrong.lua"] = WRONG }
    end)
    after_each(function() here:close() end)

    it("waits for 500 answers at once in one executor", function()
      here:worker { args = { "--queue", "requests", "--executors", "1", "--concurrency", "500" } }
      local urls = {}
      for i = 1, 500 do urls[i] = url_of "/sleep/1" end
      local run = here.db:await_run(here.db:start("requests", cjson.encode(urls)), 60)
      assert.equal("completed", run.status)
      local from, till = math.huge, 0
      for _, row in ipairs(here.db:rows "select output from pgflow.step_tasks") do
        assert.same({ 200, "slept" }, { row.output.status, row.output.body })
        from, till = math.min(from, row.output.from), math.max(till, row.output.till)
      end
      print(("# 500 calls of 1 s took %.2f s"):format(till - from))
      assert.is_true(till - from < 10)
    end)

    it("does what the guide shows against a server that limits its clients, at the cost of no attempt", function()
      here.root:write("flows/limited.lua", ('local luaflow = require "luaflow"\n'
        .. 'return luaflow.flow { slug = "limited" }:map({ slug = "call" }, function(url)\n%s\nend)\n')
        :format(guide.lua("flows/README.md", "response.status == 429"):gsub('url = "[^"]*"', "url = url"), nil))
      here:worker { args = { "--queue", "limited", "--concurrency", "50" } }
      local urls = {}
      for i = 1, 60 do urls[i] = url_of "/limited/20" end
      local run = here.db:await_run(here.db:start("limited", cjson.encode(urls)), 60)
      assert.equal("completed", run.status, run.error_message)
      local good = "select count(*) from pgflow.step_tasks t where t.attempts_count = 1 and t.output = '{\"good\":true}'"
      assert.equal(60, here.db:number(good))
    end)

    -- The hard limit is as low as the soft one: each process gets by with 40 descriptors.
    it("waits for descriptors where there are few, at the cost of no attempt", function()
      local few = here.root:at "few-files"
      files.write(few, ("#!/bin/sh\nulimit -n 40\nexec %s \"$@\"\n"):format(process.luaflow()))
      os.execute("chmod 755 " .. few)
      here:worker { program = few, args = { "--queue", "requests", "--executors", "1", "--concurrency", "64" } }
      local urls = {}
      for i = 1, 64 do urls[i] = url_of "/sleep/0.2" end
      local run = here.db:await_run(here.db:start("requests", cjson.encode(urls)), 60)
      assert.equal("completed", run.status, run.error_message)
      assert.equal(64, here.db:number "select count(*) from pgflow.step_tasks t where t.attempts_count = 1 and t.output->>'status' = '200'")
    end)

    it("ends a request with its attempt, and the executor serves on", function()
      here:worker { args = { "--queue", "late", "--executors", "1" } }
      local before = stats().left
      local run = here.db:await_run(here.db:start("late", cjson.encode(url_of "/sleep/50")), 20)
      assert.equal("failed", run.status)
      assert.truthy(run.error_message:find("timed out after 1 s", 1, true), run.error_message)
      wait.till(function() return stats().left == before + 1 end, 20, "the server to see it")
      assert.equal("completed", here.db:await_run(here.db:start("late", cjson.encode(url_of "/echo")), 20).status)
    end)

    it("stores what went wrong, and where", function()
      here:worker { args = { "--queue", "wrong", "--executors", "1" } }
      local run = here.db:await_run(here.db:start("wrong", cjson.encode(url_of("/close", "user:secret@"))), 20)
      local problem = cjson.decode(run.error_message)
      assert.same({ "protocol", url_of "/close" }, { problem.kind, problem.url })
      assert.truthy(problem.message:find("flows/wrong.lua:4: GET http://127", 1, true), problem.message)
    end)
  end)
end)
