-- Runs flows without a database: a run that calls handlers, and one that the test drives task by task.
local model = require "luaflow.testing.model"
local samples = require "luaflow.testing.samples"
local strict = require "luaflow.strict"
local testing_run = require "luaflow.testing.run"

return strict.module("luaflow.testing", {
  run = testing_run.run,
  model = model.start,
  save_samples = samples.save,
})
