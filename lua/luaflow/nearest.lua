-- Finds the nearest correct spelling of a name, for the hints of problems and errors. Pure. The command line has the same rule
-- in C (host/base/nearest), whose spec has the same cases.
local nearest = {}

--- How many single-character edits (insert, delete, replace, swap of neighbours) turn `a` into `b`.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local before, previous = {}, {}
  for j = 0, #b do previous[j] = j end
  for i = 1, #a do
    local current = { [0] = i }
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local best = math.min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (same and 0 or 1))
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, before[j - 2] + 1)
      end
      current[j] = best
    end
    before, previous = previous, current
  end
  return previous[#b]
end

-- Of two that are as near: the one that is as long as the name, or nearly; then the shorter one.
local function fits_better(name, candidate, found)
  local off, known = math.abs(#candidate - #name), math.abs(#found - #name)
  return off < known or off == known and #candidate < #found
end

--- The candidate nearest to `name`, or nil when none is near enough to be a misspelling of it. Case does not count.
---@param name any anything but a string has no nearest spelling
---@param candidates string[]
---@return string?
function nearest.find(name, candidates)
  if type(name) ~= "string" or #name > 128 then return nil end
  local found
  local least = #name <= 4 and 1 or math.max(2, math.floor(#name / 3))
  for _, candidate in ipairs(candidates) do
    local edits = distance(name:lower(), candidate:lower())
    local is_near = edits <= least and edits < #candidate
    if is_near and not (found and edits == least and not fits_better(name, candidate, found)) then
      found, least = candidate, edits
    end
  end
  return found
end

--- A hint that offers the nearest candidate, or nil.
---@param name any
---@param candidates string[]
---@return string?
function nearest.hint(name, candidates)
  local found = nearest.find(name, candidates)
  return found and ("did you mean %q?"):format(found)
end

return nearest
