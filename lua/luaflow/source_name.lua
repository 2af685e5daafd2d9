-- Finds what the source of a running function calls an operand, such as `order.customer`, from the function's bytecode, as LuaJIT
-- does for its own errors.
local bit = require "bit"
local util = require "jit.util"

local source_name = {}

-- The registers of an instruction: A, B, C, and D, which is B and C together.
local function a_of(ins) return bit.band(bit.rshift(ins, 8), 0xff) end
local function b_of(ins) return bit.rshift(ins, 24) end
local function c_of(ins) return bit.band(bit.rshift(ins, 16), 0xff) end
local function d_of(ins) return bit.rshift(ins, 16) end
local function opcode_of(ins) return bit.band(ins, 0xff) end

-- The opcode at `at` of a chunk, so that no table of opcodes of one release is needed.
local function opcode(source, at)
  return opcode_of((util.funcbc(loadstring("local a, b = ... " .. source), at)))
end

local FIRST = 2 -- the instruction behind `local a, b = ...`
local GET_FIELD = opcode("return a.x", FIRST)
local GET_GLOBAL = opcode("x = x", FIRST)
local MOVE = opcode("local c = a", FIRST)
local GET_UPVALUE = opcode_of((util.funcbc(function() return source_name end, 1)))

-- Of each kind of operation: opcode -> the registers of its operands.
local OPERANDS = { index = {}, arithmetic = {}, concat = {}, unary = {}, compare = {} }

local function only_b(ins) return { b_of(ins) } end
local function only_d(ins) return { d_of(ins) } end
local function b_and_c(ins) return { b_of(ins), c_of(ins) } end
local function a_and_d(ins) return { a_of(ins), d_of(ins) } end

local function b_to_c(ins)
  local registers = {}
  for register = b_of(ins), c_of(ins) do registers[#registers + 1] = register end
  return registers
end

for _, source in ipairs { "return a.x", "return a[b]", "return a[1]", "a.x = b", "a[b] = b", "a[1] = b" } do
  OPERANDS.index[opcode(source, FIRST)] = only_b
end
for operator in ("+-*/%"):gmatch "." do
  OPERANDS.arithmetic[opcode("return a " .. operator .. " b", FIRST)] = b_and_c
  OPERANDS.arithmetic[opcode("return a " .. operator .. " 7", FIRST)] = only_b
  OPERANDS.arithmetic[opcode("return 7 " .. operator .. " a", FIRST)] = only_b
end
OPERANDS.arithmetic[opcode("return a ^ b", FIRST)] = b_and_c
OPERANDS.concat[opcode("return a .. b", FIRST + 2)] = b_to_c
OPERANDS.unary[opcode("return #a", FIRST)] = only_d
OPERANDS.unary[opcode("return -a", FIRST)] = only_d
for _, comparison in ipairs { "a < b", "a <= b", "not (a < b)", "not (a <= b)" } do
  OPERANDS.compare[opcode(("if %s then x() end"):format(comparison), FIRST)] = a_and_d
end

local SET_FIELD = opcode("a.x = b", FIRST)

-- Whether the instruction can be the one that reads or sets that field; other than by a name in the source it can be any.
local function is_of_field(func, ins, key)
  local op = opcode_of(ins)
  return key == nil or op ~= GET_FIELD and op ~= SET_FIELD or util.funck(func, -c_of(ins) - 1) == key
end

local MODE_A_DST, MODE_A_BASE = 1, 2

local name_of_register

-- What the instruction that wrote a register says of its value.
local function name_by_instruction(frame, at, ins)
  local op = opcode_of(ins)
  if op == MOVE then return name_of_register(frame, d_of(ins), at) end
  if op == GET_GLOBAL then return util.funck(frame.func, -d_of(ins) - 1) end
  if op == GET_UPVALUE then return util.funcuvname(frame.func, d_of(ins)) end
  if op ~= GET_FIELD then return nil end
  local field = util.funck(frame.func, -c_of(ins) - 1)
  local holder = name_of_register(frame, b_of(ins), at)
  return holder and holder .. "." .. field or field
end

-- The name of a local variable in that register, by the names that are in scope in the frame.
local function local_name(frame, register)
  local name = frame.locals[register]
  return name and name:find "^[%a_]" and name or nil
end

function name_of_register(frame, register, before)
  local variable = local_name(frame, register)
  if variable then return variable end
  for at = before - 1, 1, -1 do
    local ins, mode = util.funcbc(frame.func, at)
    local writes = bit.band(mode, 7)
    if writes == MODE_A_BASE and register >= a_of(ins) then return nil end
    if writes == MODE_A_DST and a_of(ins) == register then return name_by_instruction(frame, at, ins) end
  end
end

-- The function at that level with its line, and names and values of its registers.
local function frame_at(level)
  local info = debug.getinfo(level + 1, "fl")
  if not info or info.currentline < 1 then return nil end
  local frame = { func = info.func, line = info.currentline, locals = {}, values = {} }
  for i = 1, 250 do
    local name, value = debug.getlocal(level + 1, i)
    if not name then break end
    frame.locals[i - 1], frame.values[i - 1] = name, value
  end
  return frame
end

-- The name of the first of these registers that holds the value. LuaJIT has overwritten some operands of `..` when it calls a
-- metamethod: there the only one that has a name must do.
local function name_among(frame, registers, at, value)
  local only, count = nil, 0
  for _, register in ipairs(registers) do
    local name = name_of_register(frame, register, at)
    if name and rawequal(frame.values[register], value) then return name end
    if name then only, count = name, count + 1 end
  end
  return OPERANDS.concat[opcode_of((util.funcbc(frame.func, at)))] and count == 1 and only or nil
end

--- What the source calls the operand that has this value; nil if it has no name there.
---@param operation "index"|"arithmetic"|"concat"|"unary"|"compare"
---@param level integer of the function that does the operation, counted as debug.getinfo does
---@param value any
---@param key? any of an index operation
---@return string?
function source_name.of_operand(operation, level, value, key)
  local frame = frame_at(level)
  if not frame then return nil end
  for at = 1, math.huge do
    local ins = util.funcbc(frame.func, at)
    if not ins then return nil end
    local operands = OPERANDS[operation][opcode_of(ins)]
    if operands and util.funcinfo(frame.func, at).currentline == frame.line and is_of_field(frame.func, ins, key) then
      local name = name_among(frame, operands(ins), at, value)
      if name then return name end
    end
  end
end

return source_name
