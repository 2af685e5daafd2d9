-- JSON from SQL through handlers and back: what is kept, and what fails the attempt that it belongs to and no other.
local cases = require "spec.support.json_cases"
local scene = require "spec.support.scene"

local ECHO = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "echo", max_attempts = 1 }
  :step({ slug = "same" }, function(input) return input end)
  :step({ slug = "again", depends_on = { "same" } }, function(deps)
    return { present = deps.same ~= nil, value = deps.same }
  end)
]]

local MAKE = [[
local luaflow = require "luaflow"
local made = {}
made["function"] = function() return { items = { 1, 2, { when = print } } } end
made["NaN"] = function() return { a = 0 / 0 } end
made["cycle"] = function() local t = {} t.a = { b = t } return t end
made["hole"] = function() return { list = { 1, nil, 3 } } end
made["invalid UTF-8"] = function() return { text = "a\255b" } end
made["U+0000"] = function() return { text = "a\0b" } end
made["1e400"] = function() return { n = 1e400 } end
made["depth 10000"] = function() local t = 1 for _ = 1, 10000 do t = { t } end return t end
made["64 MB"] = function() return ("x"):rep(64 * 1024 * 1024) end
local function make(input, ctx)
  return ctx.attempt == 1 and made[input] and made[input]() or "good"
end
local one = luaflow.flow { slug = "one_attempt", max_attempts = 1 }:step({ slug = "make" }, make)
local two = luaflow.flow { slug = "two_attempts", max_attempts = 2, base_delay = 0 }:step({ slug = "make" }, make)
return luaflow.worker { queue = "make", flows = {
  luaflow.deploy(one, { routes = { make = "make" } }), luaflow.deploy(two, { routes = { make = "make" } }),
} }
]]

local FILTER = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "filter" }
  :step({ slug = "none" }, function() return {} end)
  :map({ slug = "each", array = "none" }, function(element) return element end)
]]

-- The message of a stored failure, by what the handler returned.
local REFUSED = {
  ["function"] = "output%.items%[3%]%.when: function, which JSON cannot hold",
  ["NaN"] = "output%.a: NaN",
  ["cycle"] = "output%.a%.b: cycle",
  ["hole"] = "output%.list: array with a hole at 2",
  ["invalid UTF-8"] = "output%.text: string that is not valid UTF%-8",
  ["U+0000"] = "output%.text: string with U%+0000",
  ["1e400"] = "output%.n: infinity",
  ["depth 10000"] = "output%[1%].*: nested deeper than 512",
  ["64 MB"] = "output",
}

local UNREADABLE = {
  ["9223372036854775808"] = "input: integer outside the range of int64_t",
  ["1e400"] = "input: number beyond the range of a double",
}

local function kept_inputs()
  local texts = { "[]", "{}", "[[],{}]", "null", "0", "false", '""', "9007199254740993", "-9223372036854775808", "0.1", "1e308",
    "0.30000000000000004", ("["):rep(500) .. ("]"):rep(500), '"😀"', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u00e9\\ud83d\\ude00"' }
  for _, text in ipairs(cases.unchanged) do
    if not text:find(("%["):rep(501)) then texts[#texts + 1] = text end -- the next step gets it one level deeper
  end
  return texts
end

describe("JSON between SQL and handlers", function()
  local here

  setup(function()
    here = scene.open { ["flows/echo.lua"] = ECHO, ["flows/make.lua"] = MAKE, ["flows/filter.lua"] = FILTER }
  end)

  teardown(function() here:close() end)

  it("is kept as output, as a dependency's input and in the run's output", function()
    local texts = kept_inputs()
    here:worker { args = { "--queue", "echo" } }
    for text in pairs(UNREADABLE) do here.db:start("echo", text) end
    here.db:start_all("echo", "[" .. table.concat(texts, ",") .. "]")
    here.db:await_runs(30)
    local lost = here.db:rows [[
      select left(r.input::text, 60) as input, r.status, left(r.output::text, 60) as output, r.error_message
      from pgflow.runs r join pgflow.step_states s on s.run_id = r.run_id and s.step_slug = 'same'
      where r.input not in ('9223372036854775808', '1e400') and
        (r.status, s.output, r.output) is distinct from
        ('completed', r.input, jsonb_build_object('again', jsonb_build_object('present', true, 'value', r.input)))]]
    assert.same({}, lost)
    assert.equal(#texts, here.db:number "select count(*) from pgflow.runs where status = 'completed'")
  end)

  it("fails the attempt, with the path, where a handler could not get a number", function()
    for text, message in pairs(UNREADABLE) do
      local row = here.db:row([[
        select r.status, r.error_message, r.error_step_slug from pgflow.runs r where r.input = :'input'::jsonb]], { input = text })
      assert.same({ status = "failed", error_message = message, error_step_slug = "same" }, row)
    end
  end)

  it("fails the attempt, with the path, where an output cannot be stored, and no other", function()
    local started = {}
    here:worker { args = { "--queue", "make" } }
    for name in pairs(REFUSED) do
      started[name] = here.db:start("one_attempt", ('"%s"'):format(name))
      here.db:start("one_attempt", '"good"')
      here.db:start("two_attempts", ('"%s"'):format(name))
    end
    here.db:await_runs(40)
    for name, pattern in pairs(REFUSED) do
      local run = here.db:await_run(started[name])
      assert.equal("failed", run.status, name)
      assert.truthy(run.error_message:find("^flows/make%.lua:%d+: " .. pattern), name .. ": " .. run.error_message)
    end
    local others = [[
      select count(*) from pgflow.runs r join pgflow.step_tasks t on t.run_id = r.run_id
      where r.status = 'completed' and r.output = '{"make": "good"}' and r.flow_slug = :'flow' and t.attempts_count = :'attempts']]
    assert.equal(9, here.db:number(others, { flow = "one_attempt", attempts = 1 }))
    assert.equal(7, here.db:number(others, { flow = "two_attempts", attempts = 2 })) -- a function and a cycle are not tried again
    assert.equal(2, here.db:number "select count(*) from pgflow.runs where status = 'failed' and flow_slug = 'two_attempts'")
  end)

  it("makes [] of an empty table that a map reads", function()
    here:worker { args = { "--queue", "filter" } }
    local run = here.db:complete "filter"
    assert.equal("completed", run.status)
    assert.equal('{"each": []}', run.output_text)
    assert.equal("[]", here.db:text "select s.output from pgflow.step_states s where s.step_slug = 'none'")
  end)
end)
