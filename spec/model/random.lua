-- Random numbers of a seed, the same on every machine.
local bit = require "bit"

local random = {}

---@class model.Random
local methods = {}
methods.__index = methods

--- The numbers of a seed. Streams of one seed with different names have nothing to do with each other.
---@param seed integer
---@param name? string
---@return model.Random
function random.new(seed, name)
  local state = bit.bxor(bit.tobit(seed * 40503 + 0x2545f491), bit.tobit(math.floor(seed / 2 ^ 31)))
  for byte in (name or ""):gmatch "." do state = bit.tobit(bit.bxor(state, byte:byte()) * 16777) end
  local self = setmetatable({ state = state ~= 0 and state or 1 }, methods)
  for _ = 1, 8 do self:next() end
  return self
end

-- Xorshift.
function methods:next()
  local x = self.state
  x = bit.bxor(x, bit.lshift(x, 13))
  x = bit.bxor(x, bit.rshift(x, 17))
  x = bit.bxor(x, bit.lshift(x, 5))
  self.state = x
  return (x % 2 ^ 32) / 2 ^ 32
end

--- An integer from least to most.
---@return integer
function methods:int(least, most)
  return least + math.floor(self:next() * (most - least + 1))
end

--- True with that probability.
---@return boolean
function methods:chance(probability)
  return self:next() < probability
end

--- One element of a list.
function methods:pick(list)
  return list[self:int(1, #list)]
end

--- One key of a table of weights, in the order of a list of { key, weight }.
function methods:weighted(list)
  local total = 0
  for _, entry in ipairs(list) do total = total + entry[2] end
  local at = self:next() * total
  for _, entry in ipairs(list) do
    at = at - entry[2]
    if at < 0 then return entry[1] end
  end
  return list[#list][1]
end

return random
