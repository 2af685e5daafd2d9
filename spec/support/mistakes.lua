-- The mistakes of mistakes_spec.lua with the message of each. In handlers HERE is the place of the handler's line; the message of a
-- definition has its line, where the source of the mistake begins at line 3.
return {
  HANDLERS = {
    {
      "return order.vip.name",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "return order.vip()",
      "HERE: the value that is called is JSON null: test it with luaflow.is_null",
    },
    {
      "return order.vip + 1",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      [==[return "vip: " .. order.vip]==],
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "return order.vip > 3",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "return #order.vip",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "return -order.vip",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "for i = 1, order.count do print(i) end",
      "HERE: 'for' limit must be a number (nil, JSON null and strings are no numbers)",
    },
    {
      "for _, line in ipairs(order.vip) do print(line) end",
      "HERE: bad argument #1 to 'ipairs' (table expected, got userdata) (JSON null is a userdata: test it with luaflow.is_null)",
    },
    {
      "for key in pairs(order.vip) do print(key) end",
      "HERE: bad argument #1 to 'pairs' (table expected, got userdata) (JSON null is a userdata: test it with luaflow.is_null)",
    },
    {
      [==[order.vip.name = "x"]==],
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      [==[return ("%d"):format(order.vip)]==],
      "HERE: bad argument #2 to 'string.format' (number expected, got userdata) (JSON null is a userdata: test it with luaflow.is_null)",
    },
    {
      [==[return table.concat({ "a", order.vip })]==],
      "HERE: invalid value (userdata) at index 2 in table for 'concat' (JSON null is a userdata: test it with luaflow.is_null)",
    },
    {
      "return math.max(order.n, order.vip)",
      "HERE: bad argument #2 to 'math.max' (number expected, got userdata) (JSON null is a userdata: test it with luaflow.is_null)",
    },
    {
      "return order.vip:upper()",
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      "return order.lines[1].price * order.lines[1].qty",
      "HERE: price is JSON null: test it with luaflow.is_null",
    },
    {
      "return order.custmer.name",
      "HERE: attempt to index field 'custmer' (a nil value) (it is absent: luaflow.get reads a path through what is absent)",
    },
    {
      "return order.lines[2].sku",
      "HERE: attempt to index a nil value (it is absent: luaflow.get reads a path through what is absent)",
    },
    {
      "return order.cancel()",
      "HERE: attempt to call field 'cancel' (a nil value)",
    },
    {
      "return order.n .. {}",
      "HERE: attempt to concatenate a table value",
    },
    {
      "return order.n + {}",
      "HERE: attempt to perform arithmetic on a table value",
    },
    {
      "return order.lines > 1",
      "HERE: attempt to compare number with table",
    },
    {
      "return order.name < 1",
      "HERE: attempt to compare string with number",
    },
    {
      "return order.name.first.letter",
      "HERE: attempt to index field 'first' (a nil value) (it is absent: luaflow.get reads a path through what is absent)",
    },
    {
      [==[return order.name:splt ","]==],
      "HERE: attempt to call method 'splt' (a nil value)",
    },
    {
      "return ctx.run",
      "HERE: ctx has no run: did you mean ctx:exec { program, ... }?",
    },
    {
      "return ctx:slep(1)",
      'HERE: ctx has no slep: did you mean "sleep"?',
    },
    {
      "return ctx.http",
      'HERE: ctx has no http: require "luaflow.http"',
    },
    {
      [==[ctx.log("info", "x")]==],
      "HERE: call it with a colon: ctx:log(level, message, fields)",
    },
    {
      [==[ctx:log("inform", "x")]==],
      "HERE: ctx:log: level must be debug, info, warn or error, not inform",
    },
    {
      [==[ctx:log("info", "x", "y")]==],
      "HERE: ctx:log: fields must be a table",
    },
    {
      [==[ctx:sleep "soon"]==],
      "HERE: ctx:sleep: seconds must be a number of 0 or more",
    },
    {
      "ctx:sleep(-1)",
      "HERE: ctx:sleep: seconds must be a number of 0 or more",
    },
    {
      "ctx.sleep(1)",
      "HERE: call it with a colon: ctx:sleep(seconds)",
    },
    {
      "ctx:query()",
      "HERE: ctx:query: the statement must be a string, not a nil",
    },
    {
      "ctx:query(5)",
      "HERE: ctx:query: the statement must be a string, not a number",
    },
    {
      [==[ctx.tx:query "select 1"]==],
      'HERE: ctx.tx: this step has no transaction; set transaction = true on step "m37"',
    },
    {
      [==[ctx.tx.query("select 1")]==],
      "HERE: call it with a colon: ctx.tx:query(sql, ...)",
    },
    {
      [==[ctx.tx:exec "select 1"]==],
      "HERE: ctx.tx has no exec: it has query",
    },
    {
      [==[ctx.run_id = "x"]==],
      "HERE: ctx is read-only: run_id cannot be set",
    },
    {
      [==[luaflow.fial "no"]==],
      'HERE: luaflow has no fial: did you mean "fail"?',
    },
    {
      "return luaflow:is_null(order.vip)",
      "HERE: call it with a dot: luaflow.is_null(value)",
    },
    {
      [==[return luaflow.json:decode "{}"]==],
      "HERE: call it with a dot: luaflow.json.decode(text)",
    },
    {
      "return http:request { url = order.url }",
      "HERE: call it with a dot: luaflow.http.request(options)",
    },
    {
      "luaflow.retry(5)",
      "HERE: luaflow has no retry: did you mean luaflow.retry_after(seconds, message)?",
    },
    {
      [==[luaflow.http.request { url = "http://localhost" }]==],
      'HERE: luaflow has no http: it is a module of its own: require "luaflow.http"',
    },
    {
      "luaflow.version = 2",
      'HERE: cannot assign to "version" of module luaflow: all tasks share the modules of luaflow',
    },
    {
      [==[return luaflow.json.parse "{}"]==],
      "HERE: luaflow.json has no parse: it has decode, encode",
    },
    {
      "return tonumbr(order.n)",
      "HERE: attempt to call global 'tonumbr' (a nil value) (did you mean \"tonumber\"?)",
    },
    {
      "return order.n, order.name",
      "HERE: the handler returned 2 values, but a task has one output: return a table, or put a call in parentheses",
    },
    {
      "error()",
      "HERE: error without a message",
    },
    {
      [==[error { code = 7, reason = "declined" }]==],
      '{"code":7,"reason":"declined"}',
    },
    {
      [==[error(setmetatable({}, { __tostring = function() error "inner" end }))]==],
      "HERE: an error value of type table",
    },
    {
      "error(luaflow.null)",
      "HERE: null",
    },
    {
      [==[luaflow.retry_after("soon")]==],
      'HERE: luaflow.retry_after: seconds must be a finite number, 0 or more, not "soon"',
    },
    {
      "luaflow.retry_after(-1)",
      "HERE: luaflow.retry_after: seconds must be a finite number, 0 or more, not -1",
    },
    {
      "luaflow.snooze()",
      "HERE: luaflow.snooze: seconds must be a finite number, 0 or more, not nil",
    },
    {
      "luaflow.snooze(1 / 0)",
      "HERE: luaflow.snooze: seconds must be a finite number, 0 or more, not inf",
    },
    {
      "luaflow.fail()",
      "HERE: failed",
    },
    {
      "luaflow.fail { code = 7 }",
      '{"code":7}',
    },
    {
      "return { at = print }",
      "HERE: output.at: function, which JSON cannot hold",
    },
    {
      "return { rate = 0 / 0 }",
      "HERE: output.rate: NaN, which JSON cannot hold",
    },
    {
      "return { rate = 1 / 0 }",
      "HERE: output.rate: infinity, which JSON cannot hold",
    },
    {
      "local t = {} t.self = t return { t = t }",
      "HERE: output.t.self: cycle, which JSON cannot hold",
    },
    {
      [==[return { [1] = "a", [3] = "c" }]==],
      "HERE: output: array with a hole at 2, which JSON cannot hold",
    },
    {
      [==[return { "a", b = 1 }]==],
      "HERE: output: table with both string and number keys, which JSON cannot hold",
    },
    {
      [==[return { name = "\255" }]==],
      "HERE: output.name: string that is not valid UTF-8",
    },
    {
      [==[return { name = "a\0b" }]==],
      "HERE: output.name: string with U+0000, which jsonb cannot hold",
    },
    {
      "local t = {} for _ = 1, 600 do t = { t } end return t",
      "HERE: output[1][1][1][1][1][1][1][1]...[1][1][1][1]: nested deeper than 512",
    },
    {
      "return { co = coroutine.create(print) }",
      "HERE: output.co: thread, which JSON cannot hold",
    },
    {
      [==[return { [1.5] = "x" }]==],
      "HERE: output: table with a number key that is not an array index, which JSON cannot hold",
    },
    {
      [==[return { [true] = "x" }]==],
      "HERE: output: table with a key of type boolean, which JSON cannot hold",
    },
    {
      [==[return { text = ("x"):rep(2e6) }]==],
      "HERE: output: larger than 1048576 bytes (--max-output)",
    },
    {
      "order.lines.total = 5 return order.lines",
      "HERE: output: array with string keys, which JSON cannot hold",
    },
    {
      [==[return luaflow.json.decode "{"]==],
      'HERE: luaflow.json.decode: text: parse error: premature EOF, at byte 1, near "{"',
    },
    {
      "return luaflow.json.decode(nil)",
      "HERE: luaflow.json.decode: text must be a string, not a nil",
    },
    {
      "return luaflow.json.encode { f = print }",
      "HERE: luaflow.json.encode: value.f: function, which JSON cannot hold",
    },
    {
      "return luaflow.json.encode({}, { prety = true })",
      "HERE: luaflow.json.encode has no option prety: it has pretty, sort_keys",
    },
    {
      [==[return luaflow.get(order, "name")]==],
      "HERE: luaflow.get needs a value, one key or more, and a default, which may be nil",
    },
    {
      [==[return luaflow.array "x"]==],
      "HERE: luaflow.array: a table is needed, not a string",
    },
    {
      "return luaflow.map(order.name, print)",
      "HERE: luaflow.map: a table is needed, not a string",
    },
    {
      [==[return http.get "http://localhost"]==],
      'HERE: luaflow.http has no get: use http.request{ method = "GET", url = ... }',
    },
    {
      [==[return http.request "http://localhost"]==],
      '{"kind":"invalid","message":"HERE: http.request: call it with a table: http.request{ url = ... }"}',
    },
    {
      [==[return http.request { uri = "http://localhost" }]==],
      "{\"kind\":\"invalid\",\"message\":\"HERE: http.request: unknown option uri: did you mean \\\"url\\\"?\"}",
    },
    {
      [==[return http.request { url = "ftp://localhost" }]==],
      "{\"kind\":\"invalid\",\"message\":\"HERE: http.request: url must begin with http:// or https://, and \\\"ftp://localhost\\\" "
        .. 'does not"}',
    },
    {
      [==[return http.request { url = "http://127.0.0.1:1/x?token=secret" }]==],
      '{"kind":"connect","message":"HERE: GET http://127.0.0.1:1/x: Failed to connect to 127.0.0.1 port 1 after N ms: '
        .. "Couldn't connect to server\",\"url\":\"http://127.0.0.1:1/x\"}",
    },
    {
      [==[return http.request { url = "http://localhost", json = {}, body = "x" }]==],
      '{"kind":"invalid","message":"HERE: http.request: give body or json, not both"}',
    },
    {
      [==[return http.request { url = "http://localhost", timeout = "5s" }]==],
      '{"kind":"invalid","message":"HERE: http.request: timeout must be a number, not a string"}',
    },
    {
      [==[return http.request { url = order.url .. "/html?token=secret" }:json()]==],
      '{"kind":"json","message":"HERE: GET URL/html answered 403, and its body is not JSON: parse error: premature EOF; '
        .. "it starts with \\\"\\\"\",\"url\":\"URL/html\"}",
    },
    {
      [==[return ctx:query "selec 1"]==],
      'HERE: syntax error at or near "selec" (SQLSTATE 42601)',
    },
    {
      [==[return ctx:query "select * from nowhere"]==],
      'HERE: relation "nowhere" does not exist (SQLSTATE 42P01)',
    },
    {
      [==[return ctx:query("select $1::int", "x")]==],
      'HERE: invalid input syntax for type integer: "x" (SQLSTATE 22P02)',
    },
    {
      [==[return ctx:query("select $1::int")]==],
      'HERE: the statement uses $1, but 0 values were given (SQLSTATE 08P01)',
    },
    {
      [==[return ctx:query "select 1 as a, 2 as a"]==],
      'HERE: two columns have the name "a": rename one of them with AS',
    },
    {
      [==[return ctx:query "begin"]==],
      "HERE: ctx:query runs outside any transaction and cannot begin one (SQLSTATE 25001): use ctx.tx:query in a step "
        .. "with transaction = true",
    },
    {
      [==[return ctx:query "select 1; select 2"]==],
      "HERE: cannot insert multiple commands into a prepared statement (SQLSTATE 42601)",
    },
    {
      [==[return ctx:query("select $1", print)]==],
      "HERE: ctx:query: parameter 1: a function cannot be sent to the database",
    },
    {
      [==[return ctx:query("select $1::int", order.vip.id)]==],
      "HERE: order.vip is JSON null: test it with luaflow.is_null",
    },
    {
      [==[return ctx:query("select $1::text", "a\0b")]==],
      "HERE: ctx:query: parameter 1: a string with a NUL byte: send bytes with luaflow.pg_bytea",
    },
    {
      [==[return ctx:tx("select 1")]==],
      "HERE: attempt to call method 'tx' (a table value) (write ctx.tx:query(sql, ...), in a step with transaction = true)",
    },
    {
      "coroutine.yield(1) return 1",
      "HERE: coroutine.yield was called outside a coroutine that the handler created",
    },
    {
      "return coroutine.wrap(function() ctx:sleep(0.1) end)()",
      "HERE: sleep was called inside a coroutine that the handler created; call it in the handler itself",
    },
    {
      "table.sort({ 3, 1, 2 }, function(a, b) ctx:sleep(0.1) return a < b end)",
      "HERE: sleep cannot wait inside require, table.sort, string.gsub or another C function",
    },
    {
      "os.exit(1)",
      "HERE: os.exit would end the executor with all its tasks; return, or raise with luaflow.fail",
    },
    {
      "local function f(n) return 1 + f(n + 1) end return f(1)",
      "HERE: stack overflow (is this a function that calls itself without an end?)",
    },
    {
      [==[return assert(loadstring "x =")()]==],
      "HERE: [string \"x =\"]:1: unexpected symbol near '<eof>'",
    },
    {
      [==[return assert(tonumber "x")]==],
      "HERE: assertion failed!",
    },
    {
      "return assert(false, { code = 7 })",
      '{"code":7}',
    },
    {
      [==[return ctx]==],
      [==[HERE: the output is ctx, which holds nothing to store: return what later steps need]==],
    },
    {
      [==[return nil, "not found"]==],
      [==[HERE: not found]==],
    },
    {
      [==[ctx:log("hello")]==],
      [==[HERE: ctx:log: level must be debug, info, warn or error, not hello; write ctx:log("info", "hello")]==],
    },
    {
      [==[return ctx:exec { "ls", nil, "x" }]==],
      [==[HERE: ctx:exec: argument 1 is nil: leave it out, or give an empty string]==],
    },
    {
      [==[return ctx:query("select $1::int, $2::int", 1)]==],
      [==[HERE: the statement uses $1 to $2, but 1 value was given (SQLSTATE 08P01)]==],
    },
    {
      [==[return ctx:query("select 1 where 1 in ($1)", { 1, 2 })]==],
      [==[HERE: invalid input syntax for type integer: "[1,2]" (SQLSTATE 22P02): in place of in ($1) write = ]==]
        .. [==[any($1), and send the list as luaflow.pg_array(list)]==],
    },
    {
      [==[return require "lib.nope"]==],
      [==[HERE: module 'lib.nope' not found below the root, in its folders lua and lua_modules, or in ]==]
        .. [==[LUA_PATH (create lib/nope.lua below the root, or install it into the project, `luarocks --tree ]==]
        .. [==[lua_modules install lib.nope`, or on the machine)]==],
    },
    {
      [==[return require "json"]==],
      [==[HERE: module 'json' not found below the root, in its folders lua and lua_modules, or in LUA_PATH ]==]
        .. [==[(luaflow.json reads and writes JSON)]==],
    },
    {
      [==[return luaflow.json.decode("{'a': 1}")]==],
      [==[HERE: luaflow.json.decode: text: lexical error: invalid char in json text., at byte 2, near "{'a': 1}"]==],
    },
  },
  DEFINITIONS = {
    {
      [==[return luaflow.flow "d1"]==],
      "3: [wrong_arguments] flow takes a table of options, not 'd1' (write luaflow.flow { slug = \"d1\" })",
    },
    {
      [==[return luaflow.flow { slug = "bad slug" }:step({ slug = "s" }, f)]==],
      "3: [invalid_slug] the flow's slug 'bad slug' must start with a letter (a-z, A-Z) or _ and have only such letters, "
        .. 'digits and _ (write "bad_slug")',
    },
    {
      [==[return luaflow.flow { slug = "d3", retries = 3 }:step({ slug = "s" }, f)]==],
      "3: [unknown_option] unknown option 'retries' (did you mean \"max_attempts\"?)",
    },
    {
      [==[return luaflow.flow { slug = "d4", queue = "q" }:step({ slug = "s" }, f)]==],
      '3: [misplaced_option] queue is not an option of flow (route steps with luaflow.deploy(flow, { routes = { STEP = "QUEUE" } }))',
    },
    {
      "local flow = luaflow.flow { slug = \"d5\" }\nreturn flow.step({ slug = \"s\" }, f)",
      "2: [load_error] luaflow: call it with a colon: flow:step(options, handler)",
    },
    {
      [==[return luaflow.flow { slug = "d6" }:step({ "s" }, f)]==],
      "2: [missing_option] slug is missing (write slug = \"NAME\")\n2: [unknown_option] unknown option 1 (name it: slug = \"s\")",
    },
    {
      [==[return luaflow.flow { slug = "d7" }:step("s", f)]==],
      "2: [wrong_arguments] step takes a table of options, not 's' (write :step({ slug = \"s\" }, handler))",
    },
    {
      [==[return luaflow.flow { slug = "d8" }:task({ slug = "s" }, f)]==],
      "2: [unknown_method] a flow has no method 'task' (it has step, array and map)",
    },
    {
      [==[return luaflow.flow { slug = "d9" }:step(f, { slug = "s" })]==],
      "3: [wrong_arguments] step takes a table of options, not a function\n3: [missing_handler] the second argument must "
        .. "be the handler, a function, not a table (the options come first, then the handler)",
    },
    {
      [==[return luaflow.flow { slug = "d10" }:step { slug = "s" }]==],
      "3: [missing_handler] the second argument must be the handler, a function, not nil (of a function with a name write "
        .. "work, without ())",
    },
    {
      [==[return luaflow.flow { slug = "d11" }:step({ slug = "a" }, f):step({ slug = "s", depends_on = "a" }, f)]==],
      "2: [wrong_type] depends_on must be a list of slugs, not 'a' (write { \"a\" })",
    },
    {
      [==[return luaflow.flow { slug = "d12" }:step({ slug = "first" }, f):step({ slug = "s", depends_on = { "frist" } }, f)]==],
      "2: [unknown_dependency] step 's' depends on 'frist', but no step 'frist' is defined before it (did you mean \"first\"?)",
    },
    {
      [==[return luaflow.flow { slug = "d13" }:step({ slug = "s", depends_on = {} }, f)]==],
      "2: [empty_dependencies] depends_on is empty: leave it out",
    },
    {
      [==[return luaflow.flow { slug = "d14" }:step({ slug = "a" }, f):step({ slug = "s", depends_on = { "a", "a" } }, f)]==],
      "2: [duplicate_dependency] depends_on names 'a' twice (name it once)",
    },
    {
      [==[return luaflow.flow { slug = "d15" }:step({ slug = "s" }, f):step({ slug = "s" }, f)]==],
      "2: [duplicate_slug] step 's' is already defined at FILE.lua:3 (give one of them another slug)",
    },
    {
      [==[return luaflow.flow { slug = "d16", timeout = "30s" }:step({ slug = "s" }, f)]==],
      "3: [wrong_type] timeout must be a number of seconds, not '30s' (write timeout = 30)",
    },
    {
      [==[return luaflow.flow { slug = "d17" }:step({ slug = "s", timeout = 0 }, f)]==],
      "2: [out_of_range] timeout must be a whole number from 1 to 1000000000, not 0",
    },
    {
      [==[return luaflow.flow { slug = "d18", max_attempts = 1.5 }:step({ slug = "s" }, f)]==],
      "3: [out_of_range] max_attempts must be a whole number from 1 to 1000000000, not 1.5",
    },
    {
      [==[return luaflow.flow { slug = "d19" }:step({ slug = "s", only_if = { vip = true }, when_unmet = "ignore" }, f)]==],
      "2: [wrong_value] when_unmet must be \"fail\", \"skip\" or \"skip-cascade\", not 'ignore'",
    },
    {
      [==[return luaflow.flow { slug = "d20" }:step({ slug = "s", when_unmet = "skip" }, f)]==],
      "2: [missing_condition] when_unmet needs a condition: only_if or unless",
    },
    {
      'return luaflow.flow { slug = "d21" }:step({ slug = "order" }, f):step({ slug = "s", depends_on = { "order" }, '
        .. "only_if = { vip = true } }, f)",
      "2: [unmeetable_condition] only_if has the key 'vip', and the step depends on no such step: the step can never run "
        .. "(its keys are the steps that it depends on, order: write only_if = { order = { vip = true } })",
    },
    {
      [==[return luaflow.flow { slug = "d22" }:step({ slug = "s", only_if = {} }, f)]==],
      "2: [unmeetable_condition] only_if is empty, and every object contains {}: the step always runs (name what it "
        .. "tests, as in only_if = { KEY = VALUE }, or leave it out)",
    },
    {
      [==[return luaflow.flow { slug = "d23" }:map({ slug = "s", unless = { vip = true } }, f)]==],
      "2: [unmeetable_condition] unless is an object, and the input of a map without `array` is an array: the step "
        .. "always runs (test the run's input in a step of its own, and let the map read that step: array = \"STEP\")",
    },
    {
      [==[return luaflow.flow { slug = "d24" }:array({ slug = "a" }, f):map({ slug = "s", depends_on = { "a" } }, f)]==],
      "2: [misplaced_option] depends_on is not an option of map (a map takes `array`, the one step whose output it maps over)",
    },
    {
      [==[return luaflow.flow { slug = "d25" }:array({ slug = "a" }, f):map({ slug = "s", array = { "a" } }, f)]==],
      '2: [wrong_type] array must be a string, not a table (write array = "a")',
    },
    {
      [==[return luaflow.flow { slug = "d26" }:array({ slug = "a" }, f):step({ slug = "s", array = "a" }, f)]==],
      "2: [misplaced_option] array is not an option of step (a step takes `depends_on`; a map takes `array`)",
    },
    {
      [==[return luaflow.flow { slug = "d27" }:step({ slug = "s", only_if = { at = print } }, f)]==],
      "2: [invalid_pattern] only_if.at: function, which JSON cannot hold (a pattern is compared with JSON: it holds no "
        .. "other values, and no code)",
    },
    {
      "local flow = luaflow.flow { slug = \"d28\" }:step({ slug = \"s\" }, f)\nflow:step({ slug = \"lost\" }, f)\nreturn flow",
      "4: [dropped_step] the flow that this call returns is not used, so its step is lost (chain the call, or write flow "
        .. "= flow:step(...): a flow is immutable, and its methods return a new one)",
    },
    {
      "local flow = luaflow.flow { slug = \"d29\" }:step({ slug = \"pack\" }, f)\nreturn luaflow.deploy(flow, { routes = { "
        .. 'pak = "q" } })',
      "4: [unknown_step] routes names 'pak', which is not a step of flow 'd29' (did you mean \"pack\"?)",
    },
    {
      "local flow = luaflow.flow { slug = \"d30\" }:step({ slug = \"pack\" }, f)\nreturn luaflow.deploy(flow, { routes = { "
        .. 'pack = "Bad Queue" } })',
      "4: [invalid_queue_name] the route of 'pack' 'Bad Queue' must start with a lower-case letter (a-z) or _ and have "
        .. 'only such letters, digits and _ (write "bad_queue")',
    },
    {
      "local flow = luaflow.flow { slug = \"d31\" }:step({ slug = \"pack\" }, f)\nreturn luaflow.deploy(flow, \"orders\")",
      "4: [wrong_arguments] deploy takes a table of options, not 'orders' (write luaflow.deploy(flow, { alias = \"orders\" }))",
    },
    {
      "local flow = luaflow.flow { slug = \"d32\" }:step({ slug = \"pack\" }, f)\nreturn luaflow.worker { queue = \"d3x\", "
        .. "flows = { flow } }",
      "4: [queue_without_steps] no step of flows is routed to queue 'd3x' (did you mean \"d32\"?)",
    },
    {
      "local flow = luaflow.flow { slug = \"d33\" }:step({ slug = \"pack\" }, f)\nreturn luaflow.worker { queue = \"d33\", "
        .. "flows = flow }",
      "4: [wrong_type] flows must be a list of deployed flows, not a table (write flows = { ... }, also for a single one)",
    },
    {
      [==[local flow = luaflow.flow { slug = "d34" }:step({ slug = "pack" }, f)]==],
      "3: [no_flow] the file builds a flow and returns nothing (write return before the flow)",
    },
    {
      "local x = = 1",
      "3: [syntax_error] unexpected symbol near '='",
    },
    {
      "local json = require \"dkjsn\"\nlocal pl = require \"pl.strng\"\nreturn luaflow.flow { slug = \"d36\" }:step({ slug = \"s\" "
        .. "}, f)",
      "3: [module_not_found] module 'dkjsn' not found below the root ROOT, in its folders lua and lua_modules, or in "
        .. "LUA_PATH (install it into the project, `luarocks --tree lua_modules install dkjsn`, or on the machine; if this is "
        .. "not the folder of the project, give it with --root DIR, or put an empty file .luaflow-root into it)\n4: "
        .. "[module_not_found] module 'pl.strng' not found below the root ROOT, in its folders lua and lua_modules, or in "
        .. "LUA_PATH (create pl/strng.lua below the root, or install it into the project, `luarocks --tree lua_modules install pl.strng`, "
        .. "or on the machine; if this "
        .. "is not the folder of the project, give it with --root DIR, or put an empty file .luaflow-root into it)",
    },
    {
      [==[return luaflow.flow { slug = "d38" }]==],
      "3: [no_steps] a flow needs at least one step (a method returns a new flow: chain the calls, or use what they return)",
    },
    {
      "local helper = require \"flows.m38\"\nreturn luaflow.flow { slug = \"d39\" }:step({ slug = \"s\" }, f)",
      "3: [require_loop] module 'flows.m38' requires itself: FILE.lua -> FILE.lua (move what both need into a module of "
        .. "its own, or require one inside the function that uses it)",
    },
    {
      [==[return luafow.flow { slug = "d40" }]==],
      "3: [load_error] attempt to index global 'luafow' (a nil value) (did you mean \"luaflow\"?)",
    },
    {
      [==[return luaflow.flow { slug = "d41" }:step({ slug = "s", when_exhausted = "retry" }, f)]==],
      "2: [wrong_value] when_exhausted must be \"fail\", \"skip\" or \"skip-cascade\", not 'retry'",
    },
    {
      [==[return luaflow.flow { slug = "x1" }:step({ slug = "s" }, function(input)
if input.a != 3 then return 1 end end)]==],
      [==[4: [syntax_error] 'then' expected near '!' (Lua writes ~= for unequal, and not for negation)]==],
    },
    {
      [==[return luaflow.flow { slug = "x2" }:step({ slug = "s" }, function(input)
return !input.a end)]==],
      [==[4: [syntax_error] unexpected symbol near '!' (Lua writes ~= for unequal, and not for negation)]==],
    },
    {
      [==[return luaflow.flow { slug = "x3" }:step({ slug = "s" }, function(input)
if input.a && input.b then return 1 end end)]==],
      [==[4: [syntax_error] 'then' expected near '&' (Lua writes and)]==],
    },
    {
      [==[return luaflow.flow { slug = "x4" }:step({ slug = "s" }, function(input)
if input.a || input.b then return 1 end end)]==],
      [==[4: [syntax_error] 'then' expected near '|' (Lua writes or)]==],
    },
    {
      [==[return luaflow.flow { slug = "x5" }:step({ slug = "s" }, function(input)
local a = 1 a += 1 end)]==],
      [==[4: [syntax_error] '=' expected near '+' (Lua has no ++ and +=: write a = a + 1)]==],
    },
    {
      [==[return luaflow.flow { slug = "x6" }:step({ slug = "s" }, function(input)
const a = 1 end)]==],
      [==[4: [syntax_error] '=' expected near 'a' (a name alone is no statement: local a = 1 declares, f() calls)]==],
    },
    {
      [==[return luaflow.flow { slug = "x7" }:step({ slug = "s" }, function(input)
if input.a then return 1 elif input.b then return 2 end end)]==],
      [==[4: [syntax_error] 'end' expected near 'elif' (Lua writes elseif)]==],
    },
    {
      [==[return luaflow.flow { slug = "x8" }:step({ slug = "s" }, function(input)
if input.a = 1 then return 1 end end)]==],
      [==[4: [syntax_error] 'then' expected near '=' (Lua writes if CONDITION then ... end, and == to compare)]==],
    },
    {
      [==[return luaflow.flow { slug = "x9" }:step({ slug = "s" }, function(input)
for i = 1, 3 { print(i) } end)]==],
      [==[4: [syntax_error] 'do' expected near '{' (Lua writes for ... do ... end and while CONDITION do ... end)]==],
    },
    {
      [==[return luaflow.flow { slug = "x10" }:step({ slug = "s" }, function(input)
return { a = 1 b = 2 } end)]==],
      [==[4: [syntax_error] '}' expected near 'b' (is a comma missing before it?)]==],
    },
    {
      [==[return luaflow.flow { slug = "x11" }:step({ slug = "s" }, function(input)
return { "a": 1 } end)]==],
      [==[4: [syntax_error] '}' expected near ':' (fields are written a = 1 or ["a b"] = 1)]==],
    },
    {
      [==[return luaflow.flow { slug = "x12" }:step({ slug = "s" }, function(input)
return string.format("%s" input.a) end)]==],
      [==[4: [syntax_error] ')' expected near 'input' (is a comma, an end or a parenthesis missing before it?)]==],
    },
    {
      [==[return luaflow.flow { slug = "y1" }:step({ slug = "one", depends_on = { "two" } }, f):step({ slug = ]==]
        .. [==["two", depends_on = { "one" } }, f)]==],
      [==[3: [unknown_dependency] step 'one' depends on 'two', but no step 'two' is defined before it (one ]==]
        .. [==[and two depend on each other: leave one of the two out)]==],
    },
    {
      [==[local function work() end
return luaflow.flow { slug = "y2" }:step({ slug = "s" }, work())]==],
      [==[4: [missing_handler] the second argument must be the handler, a function, not nil (of a function ]==]
        .. [==[with a name write work, without ())]==],
    },
    {
      [==[return luaflow.flow { slug = "y3" }:step { slug = "s", handler = f }]==],
      [==[3: [unknown_option] unknown option 'handler' (the handler is the second argument: (options, handler))
3: [missing_handler] the second argument must be the handler, a function, not nil (of a function with a name write work, without ())]==],
    },
    {
      [==[return luaflow.flow { slug = "y4" }:step({ slug = "one" }, f):step({ slug = "s", depends_on = { "one", "", 3 } }, f)]==],
      [==[2: [wrong_type] element 3 of depends_on is 3 (it is a list of slugs)
2: [unknown_dependency] step 's' depends on '', but no step '' is defined before it]==],
    },
    {
      [==[local json = require "json"
return luaflow.flow { slug = "y5" }:step({ slug = "s" }, f)]==],
      [==[3: [module_not_found] module 'json' not found below the root ROOT, in its folders lua and ]==]
        .. [==[lua_modules, or in LUA_PATH (luaflow.json reads and writes JSON; if this is not the folder of the ]==]
        .. [==[project, give it with --root DIR, or put an empty file .luaflow-root into it)]==],
    },
    {
      [==[return luaflow.flow { slug = "y6" }:step({ slug = "s" }, function(input)
if input.a then return 1
end]==],
      [==[6: [syntax_error] 'end' expected (to close 'function' at line 3) near '<eof>' (the function of line ]==]
        .. [==[3, or one inside it, has no end)]==],
    },
  },
}
