-- Loads the modules of a root, validates everything they define, and returns either all problems or the workers.
-- Pure: the host gives the list of files and `require`.
local conflicts = require "luaflow.conflicts"
local data_files = require "luaflow.data_files"
local deploy = require "luaflow.deploy"
local entries = require "luaflow.entries"
local flow = require "luaflow.flow"
local lacks = require "luaflow.lacks"
local load_errors = require "luaflow.load_errors"
local missing = require "luaflow.missing"
local modules = require "luaflow.modules"
local problems = require "luaflow.problems"
local registry = require "luaflow.registry"
local types = require "luaflow.types"
local values = require "luaflow.values"
local worker = require "luaflow.worker"

local loader = {}

---@class luaflow.LoadOptions
---@field files table<string, any> the paths of the root's Lua files, '/'-separated
---@field entries string[] files or folders among them; "" is the root
---@field root? string the folder that holds the files, for messages
---@field require function
---@field read? fun(path: string): string? the text of a file, to find the line of a call that left no frame
---@field loading? fun(name: string, path: string) told which module's load begins or goes on
---@field globals? table where `require` is replaced while modules load; default: the globals
---@field encode? fun(value: any, root: string): string? makes the text of a table that a module raised
---@field types? boolean editors' definitions of the flows are wanted; needs read
---@field samples? string[] for these definitions, see luaflow.types

---@class luaflow.LoadResult
---@field problems luaflow.Problem[]
---@field workers { queue: string, name: string, registry: table }[] sorted by queue; none when there are problems
---@field handlers table<string, table<string, luaflow.Handler>> by flow slug and step slug
---@field types { name: string, text: string }[] see luaflow.types; none unless asked for
---@field data string[] paths of files that were read meanwhile
---@field silent? string the first file that returned nothing, though none requires it: it may have been copied in part

-- What a package manager has put into the project: to be required, and never an entry.
local INSTALLED = "^lua_modules/"

-- Paths as users give them: "./flows/" is "flows", "." is "".
local function normal_path(path)
  return (path:gsub("^%./", ""):gsub("^%.$", ""):gsub("/+$", ""))
end

-- The files of the entries in order, each once, and which of them were named as files.
local function expand(options, report)
  local paths, named, seen = {}, {}, {}
  local function add(path)
    if not seen[path] then paths[#paths + 1], seen[path] = path, true end
  end
  local all = {}
  for path in pairs(options.files) do all[#all + 1] = path end
  table.sort(all)
  for _, entry in ipairs(options.entries) do
    local path = normal_path(entry)
    if options.files[path] then
      named[path] = true
      add(path)
    else
      local prefix, found = path == "" and "" or path .. "/", false
      for _, file in ipairs(all) do
        if file:sub(1, #prefix) == prefix and not (path == "" and file:find(INSTALLED)) then
          found = true
          add(file)
        end
      end
      if not found then report(entry, "missing_file", "no such Lua file, or folder of Lua files, below the root") end
    end
  end
  return paths, named
end

-- The line of a file's last statement at the outermost level, which is where a call without a frame was made.
local function return_line(text)
  local number, found = 0, nil
  for line in (text .. "\n"):gmatch "(.-)\n" do
    number = number + 1
    if line:find "^return%f[^%w_]" then found = number end
  end
  return found
end

-- Completes the place of a call in a file's last statement, which left no frame.
local function complete_line(where, read)
  local text = not where.line and where.file and read and read(where.file)
  where.line = where.line or text and return_line(text) or nil
end

-- Completes the places of calls that left no frame: what a file returned was made in it.
local function complete_places(path, returned, read)
  for _, value in ipairs(values.within(returned)) do
    for _, where in ipairs(values.places(value)) do
      if not where.file then
        where.file = path
        complete_line(where, read)
      end
    end
  end
end

-- The deployments among values, those in workers included, each once.
local function all_deployments(list, subscriptions)
  local found, seen = {}, {}
  local function add(deployment)
    if deployment and deployment.flow and not seen[deployment] then
      found[#found + 1], seen[deployment] = deployment, true
    end
  end
  local function add_served(subscription)
    for _, served in ipairs(subscription.flows) do add(served.deployment) end
  end
  for _, value in ipairs(list) do
    add((deploy.deployment(value)))
    if values.kind(value) == "worker" then add_served(worker.subscription(value)) end
  end
  for _, subscription in ipairs(subscriptions) do add_served(subscription) end
  return found
end

-- The definitions of all flows that the files returned.
local function used_definitions(list, deployments)
  local used = {}
  for _, deployment in ipairs(deployments) do used[flow.definition(deployment.flow)] = true end
  for _, value in ipairs(list) do
    local definition = flow.definition(value)
    if definition then used[definition] = true end
  end
  return used
end

local function append(list, more)
  for _, element in ipairs(more) do list[#list + 1] = element end
end

-- Loads the files. Returns the flows that each has built.
local function load_all(loaded, paths, globals)
  local built = {}
  flow.on_new = function(definition)
    local path = loaded:current()
    if not path then return end
    built[path] = built[path] or {}
    table.insert(built[path], definition)
  end
  loaded:require_all(paths, globals)
  flow.on_new = nil
  return built
end

-- A file whose flow nobody can get, or that was named and has none.
local function report_no_flow(path, named, loaded, built, report)
  local value = loaded.loaded[path]
  local returns_nothing = value == true -- what require makes of it
  if built then
    local where = built[1].where
    local line = where.file == path and where.line or nil
    local what = returns_nothing and "nothing" or ("a %s without one"):format(type(value))
    report(path, "no_flow", ("the file builds a flow and returns %s"):format(what), "write return before the flow", line)
  elseif named then
    report(path, "no_flow", "the file returns no flow, deployed flow or worker", "return luaflow.flow { ... }:step(...)")
  end
end

-- What the loaded files returned: everything, and what entries returned.
local function collect_returned(paths, named, loaded, built, report)
  local returned, served = {}, {}
  local all = {}
  for path in pairs(loaded.loaded) do all[#all + 1] = path end
  table.sort(all)
  for _, path in ipairs(all) do append(returned, values.within(loaded.loaded[path])) end
  for _, path in ipairs(paths) do
    local within = values.within(loaded.loaded[path])
    append(served, within)
    if loaded.loaded[path] ~= nil and #within == 0 then report_no_flow(path, named[path], loaded, built[path], report) end
  end
  return returned, served
end

-- The flows of entries that no worker serves. A file without any has its own problem.
local function report_unserved(paths, loaded, built, returned, deployments, subscriptions, recorded)
  local used, served = used_definitions(returned, deployments), used_definitions({}, all_deployments({}, subscriptions))
  for _, path in ipairs(paths) do
    local has_values = #values.within(loaded.loaded[path]) > 0
    for _, definition in ipairs(has_values and built[path] or {}) do
      if not flow.is_used(definition, served) then
        local is_returned = flow.is_used(definition, used)
        recorded[#recorded + 1] = problems.new(definition.where, { flow = definition.slug }, "unserved_flow",
          "no worker serves this flow: " .. (is_returned and "no worker has its deployment" or "no file returns it"),
          is_returned and "add it to the flows of a worker" or "return it; of `return a, b` a module keeps only a: write return { a, b }")
      end
    end
  end
end

-- The first of the files that returned nothing and that no other requires.
local function silent_file(paths, loaded)
  for _, path in ipairs(paths) do
    if loaded.loaded[path] == true and not loaded.required[path] then return path end
  end
end

-- The files whose load may have failed: those given, and what those that lack a module would have required.
local function append_failed(paths, loaded, options, report)
  local all = {}
  append(all, paths)
  append(all, missing.find(loaded, options.read or function() end, function(more)
    loaded:require_all(more, options.globals or _G)
  end, function(path, line, message)
    report(path, "module_not_found", message, nil, line)
  end))
  return all
end

local function report_failures(recorded, paths, failed, options)
  local seen = {}
  for _, path in ipairs(paths) do
    local failure = failed[path]
    local raised = failure and failure.raised
    local key = (type(raised) == "string" or type(raised) == "table") and raised or failure
    if failure and not seen[key] then
      seen[key] = true
      local problem = load_errors.problem(path, raised, options.encode)
      recorded[#recorded + 1] = problem
      if problem.code == "module_not_found" then complete_line(problem.where, options.read) end
    end
  end
end

-- Editors' definitions; outputs may be annotated in any file of the root.
local function types_of(deployments, options)
  local sources = {}
  for path in pairs(options.files) do sources[path] = options.read(path) end
  return types.files(deployments, sources, options.samples)
end

local function result_of(recorded, subscriptions, deployments, options)
  local result = { problems = problems.list(recorded), workers = {}, handlers = {}, types = {} }
  if #result.problems > 0 then return result end
  if options.types then result.types = types_of(deployments, options) end
  for i, subscription in ipairs(subscriptions) do
    result.workers[i] = { queue = subscription.queue, name = subscription.name, registry = registry.of(subscription) }
    for _, served in ipairs(subscription.flows) do
      local definition = flow.definition(served.deployment.flow)
      result.handlers[definition.slug] = registry.handlers(definition)
    end
  end
  return result
end

--- Loads and validates. Never raises on what is wrong with the modules.
---@param options luaflow.LoadOptions
---@return luaflow.LoadResult
function loader.load(options)
  local recorded = {}
  local function report(file, code, message, hint, line)
    recorded[#recorded + 1] = problems.new({ file = file, line = line }, {}, code, message, hint)
  end
  local loaded = modules.new(options.files, options.root, options.require, function(path, value)
    complete_places(path, value, options.read)
  end, options.loading)
  local paths, named = expand(options, report)
  local loadable, is_loadable = {}, {}
  for _, path in ipairs(paths) do
    if loaded:name_of(path) then
      loadable[#loadable + 1], is_loadable[path] = path, true
    else
      local stem = path:match "^(.+)%.lua$" or path
      local has_dot = stem:find(".", 1, true) ~= nil
      local why = has_dot and "its path holds a dot" or "another is found first"
      local hint = has_dot and ("rename it: %s.lua"):format((stem:gsub("%.", "_"))) or "rename one of the two"
      report(path, "unloadable_file", "require cannot reach this file: " .. why, hint)
    end
  end
  local end_notes = data_files.note((options.globals or _G).io or {})
  local built = load_all(loaded, loadable, options.globals or _G)
  local failed = append_failed(loadable, loaded, options, report)
  local data = end_notes()
  report_failures(recorded, failed, loaded.failed, options)
  lacks.find(loaded, options.read or function() end, function(path) return built[path] and is_loadable[path] end, report)

  local returned, served = collect_returned(loadable, named, loaded, built, report)
  local subscriptions, conflicting = entries.subscriptions(returned, served)
  for _, value in ipairs(returned) do append(recorded, values.recorded(value)) end
  for _, subscription in ipairs(subscriptions) do
    append(recorded, subscription.problems)
    for _, one in ipairs(subscription.flows) do append(recorded, one.deployment.problems) end
  end
  append(recorded, conflicting)
  local deployments = all_deployments(returned, subscriptions)
  append(recorded, conflicts.find(deployments))
  append(recorded, flow.dropped(used_definitions(returned, deployments)))
  if #recorded == 0 then report_unserved(loadable, loaded, built, returned, deployments, subscriptions, recorded) end
  if #served == 0 and #recorded == 0 then
    recorded[1] = problems.new({}, {}, "no_flow", "no file given returns a flow, a deployed flow or a worker")
  end
  local result = result_of(recorded, subscriptions, deployments, options)
  result.silent, result.data = silent_file(loadable, loaded), data
  return result
end

return loader
