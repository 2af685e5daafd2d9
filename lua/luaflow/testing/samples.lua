-- Keeps examples that tests ran, from which `luaflow types --samples FILE` infers types for editors.
local codec = require "luaflow.testing.codec"

local samples = {}

local function add_outputs(outputs, tasks)
  for step, by_index in pairs(tasks) do
    for _, task in pairs(by_index) do
      if task.status == "completed" then
        outputs[step] = outputs[step] or {}
        table.insert(outputs[step], task.output)
      end
    end
  end
end

--- Writes the inputs and outputs of runs into a file for `luaflow types --samples FILE`.
---@param path string of the file; one that exists is replaced
---@param results luaflow.testing.Result[] what `testing.run` returned
function samples.save(path, results)
  if type(path) ~= "string" or type(results) ~= "table" or results.flow_slug then
    error('luaflow.testing.save_samples: write save_samples("FILE", { result, ... })', 2)
  end
  local by_flow = {}
  for _, result in ipairs(results) do
    local of_flow = by_flow[result.flow_slug] or { inputs = {}, outputs = {} }
    by_flow[result.flow_slug] = of_flow
    table.insert(of_flow.inputs, result.input)
    add_outputs(of_flow.outputs, result.tasks)
  end
  local file, message = io.open(path, "w")
  if not file then error("luaflow.testing.save_samples: " .. message, 2) end
  file:write((assert(codec.encode(by_flow, "samples"))))
  file:close()
end

return samples
