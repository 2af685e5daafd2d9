-- The public API: `local luaflow = require "luaflow"`. Loads in plain LuaJIT that has lua-cjson.
local deploy = require "luaflow.deploy"
local errors = require "luaflow.errors"
local flow = require "luaflow.flow"
local json = require "luaflow.json"
local pg = require "luaflow.pg"
local values = require "luaflow.values"
local worker = require "luaflow.worker"

return {
  -- Definitions.
  flow = flow.new,
  deploy = deploy.new,
  retain = deploy.retain,
  worker = worker.new,
  problems = values.problems,

  -- Endings of a handler.
  fail = errors.fail,
  retry_after = errors.retry_after,
  snooze = errors.snooze,

  -- JSON values.
  null = json.null,
  is_null = json.is_null,
  array = json.array,
  object = json.object,
  map = json.map,
  filter = json.filter,
  tostring = json.tostring,

  -- Parameters of ctx:query and ctx.tx:query.
  pg_array = pg.array,
  pg_bytea = pg.bytea,
}
