-- The nearest correct spelling of a name, for the hints of problems and errors. Pure.
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

--- The candidate nearest to `name`, or nil when none is near enough to be a misspelling of it. Case does not count.
---@param name any anything but a string has no nearest spelling
---@param candidates string[]
---@return string?
function nearest.find(name, candidates)
  if type(name) ~= "string" or #name > 128 then return nil end
  local most = #name <= 4 and 1 or math.max(2, math.floor(#name / 3))
  local found, least = nil, most + 1
  for _, candidate in ipairs(candidates) do
    local edits = distance(name:lower(), candidate:lower())
    if edits < least and edits < #candidate then found, least = candidate, edits end
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
