-- What workers and the server complained about, and which of it the faults do not explain.
local cjson = require "cjson"
local code = require "tools.lib.chaos.code"
local files = require "spec.support.files"
local lfs = require "lfs"

local complaints = {}

-- The reasons for which an attempt of the built-in flow may fail while executors and hosts are killed and stopped.
local REASONS = { "once", "^timed out after", "^held its executor past", "was killed by SIGKILL" }

-- What a server says that is restarted or read-only or lacks a partition, and whose clients are killed, cut off and cancelled.
local EXPECTED = {
  "terminating connection", "terminating autovacuum process", "the database system is", "connection to client lost",
  "canceling statement due to user request",
  "canceling statement due to lock timeout", "is not the active version, and not every live worker of their queues handles",
  "is no longer the current one", "in a read%-only transaction", 'no partition of relation "messages" found',
  "could not receive data from client", "could not send data to client", "unexpected EOF on client connection",
  "canceling authentication due to timeout", -- what a session says that is ended while it logs in, whatever ended it
  "is not a PostgreSQL backend process", -- one that was to be ended had already ended
  "could not lock the flows: another transaction deploys", -- two workers that reload at once: one of them tries again
  "could not lock aliases .*: open transactions have called start_flow", -- a deployment that meets a start is tried again
  "cannot be retried now: its version has just been replaced", -- a retry that meets a move of the alias is to be asked again
  'could not obtain lock on row in relation "runs"', -- a batch that does not wait for a run which somebody else holds
}

local function is_one_of(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
  return false
end

--- The reasons of failed attempts, other than culprits', that neither the built-in flow nor a fault gives, and how often.
---@param folder string with the workers' logs
---@return table<string, integer>
function complaints.of_workers(folder)
  local strange = {}
  for name in lfs.dir(folder) do
    for _, line in ipairs(name:find "^worker" and files.lines(folder .. "/" .. name) or {}) do
      local ok, entry = pcall(cjson.decode, line:find('"attempt_failed"', 1, true) and line or "null")
      local told = ok and type(entry) == "table" and entry.verb == "attempt_failed" and entry.flow ~= code.CULPRIT
      if told and not is_one_of(entry.message, REASONS) then strange[entry.message] = (strange[entry.message] or 0) + 1 end
    end
  end
  return strange
end

--- How many reloads the workers have told as accepted, and as refused.
---@param folder string with their logs
---@return integer
---@return integer
function complaints.reloads(folder)
  local accepted, refused = 0, 0
  for name in lfs.dir(folder) do
    for _, line in ipairs(name:find "^worker" and files.lines(folder .. "/" .. name) or {}) do
      if line:find('"verb":"reloaded"', 1, true) then accepted = accepted + 1 end
      if line:find('"verb":"reload_refused"', 1, true) then refused = refused + 1 end
    end
  end
  return accepted, refused
end

--- The server's deadlocks, and its other complaints that no fault gives.
---@param path string its log
---@return integer
---@return table<string, integer>
function complaints.of_server(path)
  local deadlocks, strange = 0, {}
  for _, line in ipairs(files.lines(path)) do
    local message = line:match "ERROR:%s+(.*)" or line:match "FATAL:%s+(.*)" or line:match "PANIC:%s+(.*)" or line:match "WARNING:%s+(.*)"
    if message and message:find("deadlock detected", 1, true) then
      deadlocks = deadlocks + 1
    elseif message and not is_one_of(message, EXPECTED) then
      strange[message] = (strange[message] or 0) + 1
    end
  end
  return deadlocks, strange
end

return complaints
