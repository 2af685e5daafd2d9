-- Tells whether a function can return a value at all: by its bytecode, in which each kind of return has its own instruction.
local bit = require "bit"
local util = require "jit.util"

local returns = {}

local function operation(fn, at)
  local instruction = util.funcbc(fn, at)
  return instruction and bit.band(instruction, 0xff)
end

-- The instruction at the end of each of these returns values, however many, or what another function returns.
local RETURNS_VALUES = {}
for _, sample in ipairs {
  function() return 1 end,
  function() return 1, 2 end,
  function(...) return 1, ... end,
  function(fn) return fn() end,
  function(fn, ...) return fn(...) end,
} do
  RETURNS_VALUES[operation(sample, util.funcinfo(sample).bytecodes - 1)] = true
end

--- False for a Lua function that has no `return` with a value.
---@param fn function
---@return boolean
function returns.values(fn)
  local count = util.funcinfo(fn).bytecodes
  for at = 1, count and count - 1 or 0 do
    if RETURNS_VALUES[operation(fn, at)] then return true end
  end
  return count == nil -- a C function
end

return returns
