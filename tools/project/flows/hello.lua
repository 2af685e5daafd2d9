-- Greets everybody on a list. The input is { "names": ["Ada", "Grace"] }.
local luaflow = require "luaflow"

return luaflow.flow { slug = "hello", timeout = 30 }
  -- Checks the input. What luaflow.fail raises is final; after any other error the task runs again.
  :array({ slug = "names" }, function(input)
    local names = luaflow.get(input, "names", {})
    if #names == 0 then luaflow.fail 'nobody to greet: the input is { "names": ["Ada", ...] }' end
    return names
  end)
  -- One task for each element; the tasks run beside each other.
  :map({ slug = "greet", array = "names" }, function(name)
    return ("Hello, %s!"):format(name)
  end)
  -- Runs when all of them have completed. Its input has the outputs of the steps that it depends on.
  :step({ slug = "letter", depends_on = { "greet" } }, function(deps)
    return { text = table.concat(deps.greet, "\n"), greetings = #deps.greet }
  end)
