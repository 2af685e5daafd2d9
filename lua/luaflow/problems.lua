-- Records, lists and sorts the problems of definitions. A problem holds its place as a table that several
-- problems share, since the place of a call without a frame becomes known only when its file has been loaded.
local problems = {}

---@class luaflow.Problem
---@field code string what is wrong, as a name for programs
---@field message string
---@field file string?
---@field line integer?
---@field flow string? slug
---@field step string? slug
---@field hint string? what to do

---@class luaflow.Place
---@field file string?
---@field line integer?

--- A problem as it is recorded.
---@param where luaflow.Place
---@param subject { flow: string?, step: string? }
---@param code string
---@param message string
---@param hint? string
function problems.new(where, subject, code, message, hint)
  return { where = where, flow = subject.flow, step = subject.step, code = code, message = message, hint = hint }
end

--- "at FILE:LINE" of a place, as far as it is known; "" where it is not.
---@param where luaflow.Place
---@return string
function problems.at(where)
  if not where.file then return "" end
  return where.line and (" at %s:%d"):format(where.file, where.line) or " in " .. where.file
end

local function before(a, b)
  if a.file ~= b.file then return (a.file or "\255") < (b.file or "\255") end
  if a.line ~= b.line then return (a.line or 0) < (b.line or 0) end
  return a.order < b.order
end

--- The problems as users see them, each once, sorted by file and line.
---@param recorded table[] what `problems.new` made; one that is there twice counts once
---@return luaflow.Problem[]
function problems.list(recorded)
  local seen, result = {}, {}
  for order, problem in ipairs(recorded) do
    if not seen[problem] then
      seen[problem] = true
      result[#result + 1] = {
        code = problem.code, message = problem.message, hint = problem.hint, flow = problem.flow, step = problem.step,
        file = problem.where.file, line = problem.where.line, order = order,
      }
    end
  end
  table.sort(result, before)
  for _, problem in ipairs(result) do problem.order = nil end
  return result
end

return problems
