-- What passes between Postgres and handlers, as cases that the host's codec and the pure Lua testing model share.
-- Values are made by functions of the module luaflow.json, so that every user of the list gets fresh ones.
local cases = {}

--- JSON texts that come back as they are: keys sorted, no spaces.
cases.unchanged = {
  "null", "true", "false", "0", "1", "-1", "0.1", "-2.5", "0.30000000000000004", "1e308", "1.7976931348623157e308",
  "5e-324", "2.2250738585072014e-308", "123456789.125", "100000000000000000000",
  "9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
  "9223372036854775807", "-9223372036854775808",
  '""', '"a b"', '"\\"\\\\\\b\\f\\n\\r\\t\\u0001\\u001f"', '"/"', '"\127"', '"\195\169 \226\130\172 \240\159\152\128"',
  "[]", "{}", "[[],{}]", "[[[]]]", '{"a":[],"b":{}}', "[null]", "[null,1,null]", '{"a":null}', "[false,0,\"\"]",
  '{"a":1,"b":{"c":[1,2,{"d":"e"}]}}', '{"":1}', '{"1":"a","2":"b"}', '{"\195\169":1}',
  ("["):rep(512) .. ("]"):rep(512), ('{"a":'):rep(500) .. "1" .. ("}"):rep(500),
}

--- Pairs of JSON texts: the first comes back as the second, which is equal as jsonb or, for decimals of more digits than a
--- double holds, the nearest.
cases.rewritten = {
  { "1" .. ("0"):rep(308), "1e308" },
  { "-1" .. ("0"):rep(30), "-1e30" },
  { "1.0", "1" }, { "1.50", "1.5" }, { "1e2", "100" }, { "1E+2", "100" }, { "15e-1", "1.5" }, { "-0.0", "-0" },
  { "0.1000000000000000055511151231257827", "0.1" },
  { "3.14159265358979323846264338327950288", "3.141592653589793" },
  { "0." .. ("0"):rep(400) .. "1", "0" },
  { '"\\ud83d\\ude00\\u00e9\\/"', '"\240\159\152\128\195\169/"' },
  { ' { "b" : 1 , "a" : [ 1 , 2 ] } ', '{"a":[1,2],"b":1}' },
  { '{"a":1,"a":2}', '{"a":2}' },
}

--- JSON texts that no handler gets, with the message; "input" stands for the whole.
cases.undecodable = {
  { "9223372036854775808", "input: integer outside the range of int64_t" },
  { "-9223372036854775809", "input: integer outside the range of int64_t" },
  { "18446744073709551616", "input: integer outside the range of int64_t" },
  { "1" .. ("0"):rep(400), "input: number beyond the range of a double" },
  { "1e400", "input: number beyond the range of a double" },
  { '{"a":[1,{"b":9223372036854775808}]}', "input.a[2].b: integer outside the range of int64_t" },
  { '{"x y":[1e999]}', 'input["x y"][1]: number beyond the range of a double' },
  { '["\237\160\128"]', "input[1]: string that is not valid UTF-8" },
  { '{"a":{"\192\128":1}}', "input.a: string that is not valid UTF-8" },
  { ("["):rep(513) .. ("]"):rep(513), "input" .. ("[1]"):rep(8) .. "..." .. ("[1]"):rep(4) .. ": nested deeper than 512" },
}

local function nested(depth)
  local value = 1
  for _ = 1, depth do value = { value } end
  return value
end

--- Values that a handler may return, with their JSON text; `empty_array`: as a step that must give an array.
cases.values = {
  { name = "nil", make = function() return nil end, text = "null" },
  { name = "null", make = function(json) return json.null end, text = "null" },
  { name = "an unmarked empty table", make = function() return {} end, text = "{}" },
  { name = "an unmarked empty table of an array step", make = function() return {} end, text = "[]", empty_array = true },
  { name = "an unmarked empty table inside one", make = function() return { {} } end, text = "[{}]", empty_array = true },
  { name = "a marked array", make = function(json) return json.array {} end, text = "[]" },
  { name = "a marked object", make = function(json) return json.object {} end, text = "{}", empty_array = true },
  { name = "keys 1 to n", make = function() return { "a", "b" } end, text = '["a","b"]' },
  { name = "string keys", make = function() return { b = 1, a = 2 } end, text = '{"a":2,"b":1}' },
  { name = "a map that keeps the mark", make = function(json) return json.map(json.array {}, tostring) end, text = "[]" },
  {
    name = "a filter that keeps nothing",
    make = function(json) return json.filter(json.array { 1, 2 }, function() return false end) end,
    text = "[]",
  },
  {
    name = "a foreign metatable",
    make = function() return setmetatable({ a = 1 }, { __index = { b = 2 } }) end,
    text = '{"a":1}',
  },
  { name = "int64", make = function() return { 9007199254740993LL, -1LL } end, text = "[9007199254740993,-1]" },
  { name = "uint64", make = function() return 9223372036854775807ULL end, text = "9223372036854775807" },
  { name = "doubles", make = function() return { 0.1, 1e15, 1e21, 1e-7, 1e-8, 2 ^ 53 } end,
    text = "[0.1,1000000000000000,1e21,0.0000001,1e-8,9007199254740992]" },
  { name = "one table twice", make = function() local t = { 1 } return { t, t } end, text = "[[1],[1]]" },
  { name = "depth 512", make = function() return nested(512) end, text = ("["):rep(512) .. "1" .. ("]"):rep(512) },
}

--- Values that nobody can store, with the message; "output" stands for the whole.
cases.refused = {
  { name = "a function", make = function() return { items = { 1, 2, { when = print } } } end,
    message = "output.items[3].when: function, which JSON cannot hold" },
  { name = "a thread", make = function() return coroutine.create(print) end, message = "output: thread, which JSON cannot hold" },
  { name = "userdata", make = function() return { io.stdout } end, message = "output[1]: userdata, which JSON cannot hold" },
  { name = "other cdata", make = function() return { a = require("ffi").new "int[1]" } end,
    message = "output.a: cdata, which JSON cannot hold" },
  { name = "an unsigned integer beyond int64", make = function() return 18446744073709551615ULL end,
    message = "output: integer outside the range of int64_t" },
  { name = "NaN", make = function() return { 0 / 0 } end, message = "output[1]: NaN, which JSON cannot hold" },
  { name = "infinity", make = function() return { a = -1 / 0 } end, message = "output.a: infinity, which JSON cannot hold" },
  { name = "a cycle", make = function() local t = {} t.a = { b = t } return t end, message = "output.a.b: cycle, which JSON cannot hold" },
  { name = "a hole", make = function() return { a = { 1, nil, 3 } } end,
    message = "output.a: array with a hole at 2, which JSON cannot hold" },
  { name = "a marked array with a hole", make = function(json) return json.array { [2] = 1 } end,
    message = "output: array with a hole at 1, which JSON cannot hold" },
  { name = "mixed keys", make = function() return { 1, x = 1 } end,
    message = "output: table with both string and number keys, which JSON cannot hold" },
  { name = "an array with string keys", make = function(json) return { json.array { 1, x = 1 } } end,
    message = "output[1]: array with string keys, which JSON cannot hold" },
  { name = "an object with number keys", make = function(json) return json.object { "a" } end,
    message = "output: object with number keys, which JSON cannot hold" },
  { name = "a fraction as key", make = function() return { [1.5] = 1 } end,
    message = "output: table with a number key that is not an array index, which JSON cannot hold" },
  { name = "zero as key", make = function() return { [0] = 1 } end,
    message = "output: table with a number key that is not an array index, which JSON cannot hold" },
  { name = "a boolean as key", make = function() return { [true] = 1 } end,
    message = "output: table with a key of type boolean, which JSON cannot hold" },
  { name = "an int64 as key", make = function() return { [1LL] = 1 } end,
    message = "output: table with a key of type cdata, which JSON cannot hold" },
  { name = "U+0000", make = function() return { "a\0b" } end, message = "output[1]: string with U+0000, which jsonb cannot hold" },
  { name = "U+0000 in a key", make = function() return { ["a\0b"] = 1 } end,
    message = 'output["a\239\191\189b"]: string with U+0000, which jsonb cannot hold' },
  { name = "invalid UTF-8", make = function() return { a = "\255" } end, message = "output.a: string that is not valid UTF-8" },
  { name = "an overlong form", make = function() return "\192\128" end, message = "output: string that is not valid UTF-8" },
  { name = "a surrogate", make = function() return "\237\160\128" end, message = "output: string that is not valid UTF-8" },
  { name = "a cut character", make = function() return "\226\130" end, message = "output: string that is not valid UTF-8" },
  { name = "depth 513", make = function() return nested(513) end,
    message = "output" .. ("[1]"):rep(8) .. "..." .. ("[1]"):rep(4) .. ": nested deeper than 512" },
  { name = "a key that is no name", make = function() return { ['say "x"'] = print } end,
    message = 'output["say \\"x\\""]: function, which JSON cannot hold' },
}

return cases
