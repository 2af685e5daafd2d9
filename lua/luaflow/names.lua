-- Checks names: slugs of flows, steps and aliases, and queues. The database has the same rules.
local names = {}

names.MAX_SLUG = 128
-- What PGMQ allows.
names.MAX_QUEUE = 47

--- Why a text is not a slug; nil when it is one.
---@param text string
---@return string?
function names.slug_fault(text)
  if text == "" then return "is empty" end
  if text == "run" then return "is a reserved word" end
  if #text > names.MAX_SLUG then return ("is longer than %d characters"):format(names.MAX_SLUG) end
  if not text:find "^[A-Za-z_][A-Za-z0-9_]*$" then
    return "must start with a letter (a-z, A-Z) or _ and have only such letters, digits and _"
  end
end

--- Why a text is not the canonical name of a queue; nil when it is one.
---@param text string
---@return string?
function names.queue_fault(text)
  if text == "" then return "is empty" end
  if #text > names.MAX_QUEUE then return ("is longer than %d characters"):format(names.MAX_QUEUE) end
  if not text:find "^[a-z_][a-z0-9_]*$" then
    return "must start with a lower-case letter (a-z) or _ and have only such letters, digits and _"
  end
end

--- A spelling that would be a slug, for hints; nil when there is no obvious one.
---@param text string
---@return string?
function names.slug_spelling(text)
  local spelling = text:gsub("[^A-Za-z0-9_]", "_"):gsub("^%d", "_%0")
  return not names.slug_fault(spelling) and spelling or nil
end

--- A spelling that would be a queue name, for hints; nil when there is no obvious one.
---@param text string
---@return string?
function names.queue_spelling(text)
  local spelling = text:lower():gsub("[^a-z0-9_]", "_")
  return not names.queue_fault(spelling) and spelling or nil
end

return names
