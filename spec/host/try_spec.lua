-- `luaflow try PATH STEP [JSON]`: one real handler, once, without a database.
local cjson = require "cjson"
local database = require "spec.support.database"
local files = require "spec.support.files"
local flows = require "spec.support.flows"
local http_server = require "spec.support.http_server"
local process = require "spec.support.process"

local SHOP = [[
local http, luaflow = require "luaflow.http", require "luaflow"
local function count(how) local n = 0 while how do n = n + 1 end end
return luaflow.flow { slug = "shop", max_attempts = 4, timeout = 30 }
  :array({ slug = "lines" }, function(order) return order.lines end)
  :map({ slug = "price", array = "lines" }, function(line, ctx)
    return { line = line, index = ctx.task_index }
  end)
  :step({ slug = "total", depends_on = { "lines", "price" } }, function(deps, ctx)
    return { deps = deps, run = ctx:flow_input(), attempt = ctx.attempt, max = ctx.max_attempts, cancelled = ctx:cancelled() }
  end)
  :step({ slug = "breaks" }, function(how, ctx)
    ctx:log("warn", "about to break", { how = how })
    print "printed"
    if how == "fail" then luaflow.fail "no more" end
    if how == "log" then ctx:log("error", debug.traceback "seen") return 5 end
    if how == "retry_after" then luaflow.retry_after(7, "later") end
    if how == "snooze" then luaflow.snooze(8, "not now") end
    if how == "global" then oops = 1 end
    if how == "exit" then require("ffi").cdef "void _exit(int code);" require("ffi").C._exit(3) end
    error "broken"
  end)
  :step({ slug = "late", timeout = 1 }, function(how, ctx)
    local x = 0
    while how == "busy" do x = x + 1 end
    while how == "caught" do pcall(error) end
    if how == "deep" then count(how) end
    if how == "shell" then os.execute "sleep 20" end
    ctx:sleep(100)
  end)
  :step({ slug = "fields" }, function(_, ctx)
    return { ctx.flow_slug, ctx.step_slug, ctx.run_id, ctx.queue, ctx.worker_id, ctx.env.SPEC_TRY, ctx.deadline > os.time() + 20 }
  end)
  :step({ slug = "fetch" }, function(url) return http.request{ url = url }:json().method end)
  :step({ slug = "pay", transaction = true }, function(id, ctx)
    local rows = ctx.tx:query("insert into public.payments values ($1) returning id", id)
    if id == -1 then ctx.tx:query "commit" end
    return rows[1].id
  end)
  :map({ slug = "forgets", array = "lines" }, function(line) line.seen = true end)
  :map({ slug = "nothing", array = "lines" }, function() return nil end)
  :step({ slug = "runs" }, function(words, ctx) return ctx:exec(words) end)
  :step({ slug = "ask" }, function(n, ctx) return ctx:query("select $1::int + 1 as n", n)[1].n end)
]]

local OTHER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "other" }:step({ slug = "total" }, function(input) return input end)
]]

local BROKEN = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "broken", max_atempts = 5 }:step({ slug = "first" }, function() end)
]]

describe("luaflow try", function()
  local root

  setup(function()
    root = flows.root { ["flows/shop.lua"] = SHOP, ["flows/other.lua"] = OTHER, ["broken/broken.lua"] = BROKEN }
  end)
  teardown(function() root:remove() end)

  local function try(words, options)
    options = options or {}
    local argv = { process.luaflow(), "try", "--log-format", "text" }
    for _, word in ipairs(words) do argv[#argv + 1] = word end
    return process.run { argv = argv, cwd = root.path, env = options.env, stdin = options.stdin, seconds = 30 }
  end

  local function output_of(words, options)
    local result = try(words, options)
    assert.equal("", result.err)
    assert.equal(0, result.code)
    assert.equal("\n", result.out:sub(-1))
    return cjson.decode("[" .. result.out .. "]")[1]
  end

  -- Expects an exit code and every one of the texts on standard error.
  local function refused(code, words, ...)
    local result = try(words)
    for _, text in ipairs { ... } do assert.truthy(result.err:find(text, 1, true), result.err) end
    assert.equal(code, result.code, result.err)
    assert.equal("", result.out)
    return result
  end

  it("prints the output as JSON", function()
    assert.same({ 1, 2 }, output_of { "flows/shop.lua", "lines", '{"lines": [1, 2]}' })
    assert.same({ line = "a", index = 0 }, output_of { "flows/shop.lua", "price", '"a"' })
    assert.equal("9007199254740993\n", try({ "flows/other.lua", "total", "9007199254740993" }).out)
  end)

  it("hints at a forgotten return of a map, and runs programs", function()
    local forgot = try { "flows/shop.lua", "forgets", '{"a": 1}' }
    assert.same({ 0, "null\n" }, { forgot.code, forgot.out })
    assert.truthy(forgot.err:find("flows/shop.lua:%d+: the handler of this map never returns a value"), forgot.err)
    local meant = try { "flows/shop.lua", "nothing" }
    assert.same({ 0, "null\n", "" }, { meant.code, meant.out, meant.err })
    assert.same({ code = 3, stdout = "out", stderr = "" }, output_of { "flows/shop.lua", "runs", '["sh", "-c", "printf out; exit 3"]' })
  end)

  it("reads the input from standard input", function()
    files.write(root:at "input", '{"lines": [3]}')
    assert.same({ 3 }, output_of({ "flows/shop.lua", "lines", "-" }, { stdin = root:at "input" }))
  end)

  it("gives a root step {}, a map null and a step with dependencies none unless told", function()
    assert.equal("{}\n", try({ "flows/other.lua", "total" }).out)
    assert.same({ line = cjson.null, index = 0 }, output_of { "flows/shop.lua", "price" })
    assert.same({ deps = {}, run = { 5 }, attempt = 3, max = 4, cancelled = false },
      output_of { "flows/shop.lua", "total", "--flow-input", "[5]", "--attempt", "3" })
    assert.same({ price = { 1 } }, output_of({ "flows/shop.lua", "total", '{"price": [1]}', "--flow-input", "null" }).deps)
    refused(1, { "flows/shop.lua", "total" }, "flows/shop.lua:9: ", "--flow-input JSON")
  end)

  it("has a context", function()
    local none = "00000000-0000-0000-0000-000000000000"
    assert.same({ "shop", "fields", none, "shop", none, "set", true },
      output_of({ "flows/shop.lua", "fields" }, { env = { SPEC_TRY = "set", PGHOST = "nowhere", LUAFLOW_LOG_LEVEL = "warn" } }))
  end)

  it("finds a step by its name, with its flow where there are several", function()
    assert.same(1, output_of { "flows", "other.total", "1" })
    refused(2, { "flows", "total" }, "total: several flows have a step of this name", "other.total or shop.total")
    refused(2, { "flows/shop.lua" }, "try: a step is missing", "known: lines, price, total")
    refused(2, { "flows", "shop.lins" }, "there is no step shop.lins", "did you mean shop.lines?")
    refused(2, { "flows/shop.lua", "prise" }, "there is no step prise", "did you mean price?")
    refused(2, { "flows/other.lua", "nothing_like_it" }, "known: total")
  end)

  it("refuses a wrong command line before anything runs", function()
    refused(2, {}, "an argument is missing")
    refused(2, { "flows/nowhere.lua", "total" }, "try: there is no file or folder flows/nowhere.lua")
    refused(2, { "flows/shop.lua", "lines", "{oops" }, "try: the input is not valid JSON")
    refused(2, { "flows/shop.lua", "total", "--flow-input", "oops" }, "try: --flow-input is not valid JSON")
    refused(2, { "flows/shop.lua", "total", "[]" }, "a JSON object of its dependencies' outputs")
    refused(2, { "flows/shop.lua", "total", '{"lnes": []}' }, "the input has \"lnes\", but shop.total does not depend on such a step",
      "did you mean lines?")
    refused(2, { "flows/shop.lua", "lines", "--flow-input", "{}" }, "the input of shop.lines is already the run's input")
    refused(3, { "broken", "first" }, "broken/broken.lua:2: ", "max_atempts", "1 problem")
  end)

  it("says how a handler failed, and where, with its log on standard error", function()
    local told = refused(1, { "flows/shop.lua", "breaks", '"x"' }, 'about to break {"how":"x"}', "printed\n",
      "luaflow: try: shop.breaks: failed: flows/shop.lua:20: broken\nstack traceback:\n").err
    local _, times = told:gsub("broken", "")
    assert.equal(1, times, told)
    assert.truthy(told:find "flows/shop.lua:20: in function <flows/shop.lua:11>\n$", told)
    local logged = try { "flows/shop.lua", "breaks", '"log"' }
    assert.same({ 0, "5\n" }, { logged.code, logged.out })
    assert.truthy(logged.err:find("seen\nstack traceback:\n", 1, true), logged.err)
    refused(1, { "flows/shop.lua", "breaks", '"fail"' }, "failed permanently, as with luaflow.fail: flows/shop.lua:14: no more\n")
    refused(1, { "flows/shop.lua", "breaks", '"retry_after"' },
      "luaflow.retry_after asks for a retry in 7 s: flows/shop.lua:16: later\n")
    refused(1, { "flows/shop.lua", "breaks", '"snooze"' }, "snoozed for 8 s by luaflow.snooze: flows/shop.lua:17: not now\n")
    refused(1, { "flows/shop.lua", "breaks", '"global"' }, 'flows/shop.lua:18: a handler assigns to the global "oops": write local oops',
      "\nstack traceback:\n\tflows/shop.lua:18: in function <flows/shop.lua:11>\n")
    refused(1, { "flows/shop.lua", "breaks", '"exit"' }, "the executor exited with code 3")
    refused(1, { "flows/shop.lua", "lines", '{"lines": 1}' }, "[TYPE_VIOLATION] Produced number instead of array")
  end)

  it("ends at the step's timeout, also one that does not yield", function()
    local lost = "timed out after 1 s: it never yielded, and was "
    local ends = {
      sleepy = "timed out after 1 s, waiting in ctx:sleep at flows/shop.lua:28 (it takes seconds, not milliseconds)",
      busy = lost .. "at flows/shop.lua:24, in the function at line 22: is this a loop without an end?",
      deep = lost .. 'at flows/shop.lua:2, in function "count": is this a loop without an end?',
      caught = lost .. "at flows/shop.lua:25, in the function at line 22: is this a loop without an end?",
      shell = lost .. "in a call that runs no Lua, such as os.execute or a search for a costly pattern",
    }
    for how, message in pairs(ends) do
      refused(1, { "flows/shop.lua", "late", cjson.encode(how) }, ("luaflow: try: shop.late: %s\n"):format(message))
    end
  end)

  it("lets a handler call services", function()
    local server = http_server.open()
    local url = cjson.encode(server.url .. "/echo")
    local ok, message = pcall(function() assert.equal("GET", output_of { "flows/shop.lua", "fetch", url }) end)
    server:close()
    assert(ok, message)
  end)

  it("opens a database at the first query", function()
    local db = database.clone()
    local ok, message = pcall(function()
      assert.equal(42, output_of { "flows/shop.lua", "ask", "41", "--database", db.conninfo })
      refused(1, { "flows/shop.lua", "ask", '"x"', "--database", db.conninfo }, "\n  its SQL ran in the database of --database\n")
    end)
    db:drop()
    assert(ok, message)
    assert.equal(1, try({ "flows/shop.lua", "ask", "41", "--database", "host=/nowhere/at/all" }).code)
  end)

  describe("runs a step with a transaction", function()
    local db

    setup(function()
      db = database.clone()
      db:text "create table public.payments (id int primary key)"
    end)
    teardown(function() db:drop() end)

    local ROLLED_BACK = "luaflow: try: shop.pay: what ctx.tx wrote is rolled back (the database of --database)\n"

    it("and rolls back what it wrote", function()
      local result = try { "flows/shop.lua", "pay", "1", "--database", db.conninfo }
      assert.same({ 0, "1\n", ROLLED_BACK }, { result.code, result.out, result.err })
      refused(1, { "flows/shop.lua", "pay", '"x"', "--database", db.conninfo }, "failed: flows/shop.lua:35: ", ROLLED_BACK)
      refused(1, { "flows/shop.lua", "pay", "null", "--database", db.conninfo }, "flows/shop.lua:35: ", "null value", ROLLED_BACK)
      assert.equal(0, db:number "select count(*) from public.payments")
    end)

    it("though it commits on its own", function()
      refused(1, { "flows/shop.lua", "pay", "-1", "--database", db.conninfo }, "ctx.tx:query must not end the transaction")
      assert.equal(0, db:number "select count(*) from public.payments")
      assert.equal(0, db:number "select count(*) from pgflow.open_transactions")
    end)

    it("or says how it gets a database", function()
      local result = refused(1, { "flows/shop.lua", "pay", "1" },
        "flows/shop.lua:35: none is given, and none of your luaflow dev runs for ",
        "(SQLSTATE 08001): give --database or DATABASE_URL, or start luaflow dev")
      assert.falsy(result.err:find("rolled back", 1, true), result.err)
    end)
  end)

  it("has its rules in --help", function()
    local help = process.run { argv = { process.luaflow(), "try", "--help" } }.out
    for _, word in ipairs { "is rolled back", "needs --flow-input" } do assert.truthy(help:find(word, 1, true), help) end
  end)
end)
