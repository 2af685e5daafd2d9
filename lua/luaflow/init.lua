-- The public API: `local luaflow = require "luaflow"`. Loads in plain LuaJIT that has lua-cjson.
local bytes = require "luaflow.bytes"
local deploy = require "luaflow.deploy"
local errors = require "luaflow.errors"
local flow = require "luaflow.flow"
local json = require "luaflow.json"
local json_text = require "luaflow.json_text"
local null = require "luaflow.null"
local pg = require "luaflow.pg"
local strict = require "luaflow.strict"
local values = require "luaflow.values"
local worker = require "luaflow.worker"

-- What handlers look for here, and where it is.
local ELSEWHERE = {
  retry = "did you mean luaflow.retry_after(seconds, message)?",
  http = 'it is a module of its own: require "luaflow.http"',
  log = "did you mean ctx:log(level, message, fields)?",
  sleep = "did you mean ctx:sleep(seconds)?",
  query = "did you mean ctx:query(sql, ...)?",
  testing = 'it is a module of its own: require "luaflow.testing"',
}

---@class luaflow.Module
local luaflow = {
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
  pcall = errors.pcall,
  is_control = errors.is_control,

  -- JSON values.
  null = json.null,
  is_null = json.is_null,
  array = json.array,
  object = json.object,
  map = json.map,
  filter = json.filter,
  tostring = json.tostring,
  get = null.get,
  json = strict.sealed("luaflow.json", { decode = json_text.decode, encode = json_text.encode }),

  -- Parameters of ctx:query and ctx.tx:query.
  pg_array = pg.array,
  pg_bytea = pg.bytea,

  -- For talking to other services.
  base64 = bytes.base64,
  base64_decode = bytes.base64_decode,
  url_encode = bytes.url_encode,
  hmac_sha256 = bytes.hmac_sha256,
  uuid = bytes.uuid,
  time = bytes.time,
}

return strict.module("luaflow", luaflow, ELSEWHERE)
