-- Tests whether a string is text that JSON and Postgres can hold. Pure.
local utf8 = {}

-- Of each lead byte's characters: how many bytes follow, and the range of the first of them (which leaves out overlong
-- forms, surrogates and what lies beyond U+10FFFF).
local function following(lead)
  if lead >= 0xC2 and lead <= 0xDF then return 1, 0x80, 0xBF end
  if lead >= 0xE0 and lead <= 0xEF then return 2, lead == 0xE0 and 0xA0 or 0x80, lead == 0xED and 0x9F or 0xBF end
  if lead >= 0xF0 and lead <= 0xF4 then return 3, lead == 0xF0 and 0x90 or 0x80, lead == 0xF4 and 0x8F or 0xBF end
end

local function character_end(text, at)
  local count, low, high = following(text:byte(at))
  if not count then return nil end
  for i = at + 1, at + count do
    local byte = text:byte(i)
    if not byte or byte < low or byte > high then return nil end
    low, high = 0x80, 0xBF
  end
  return at + count
end

--- True for valid UTF-8.
---@param text string
---@return boolean
function utf8.is_valid(text)
  local at = text:find "[\128-\255]"
  while at do
    local last = character_end(text, at)
    if not last then return false end
    at = text:find("[\128-\255]", last + 1)
  end
  return true
end

--- The text with U+FFFD in the place of every byte that JSON and Postgres cannot hold.
---@param text string
---@return string
function utf8.clean(text)
  local parts, at = {}, 1
  while at <= #text do
    local last = text:byte(at) ~= 0 and (text:byte(at) < 0x80 and at or character_end(text, at))
    parts[#parts + 1] = last and text:sub(at, last) or "\239\191\189"
    at = (last or at) + 1
  end
  return table.concat(parts)
end

return utf8
