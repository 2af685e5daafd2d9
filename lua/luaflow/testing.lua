-- Flows without a database: a run that is driven task by task, and one that calls the handlers.
local model = require "luaflow.testing.model"

return {
  model = model.start,
}
