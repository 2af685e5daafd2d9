-- Runs of one short task, twenty a second, each in a transaction of its own: whichever worker is ready first takes it. So a worker that
-- takes nothing for two seconds was not ready.
local process = require "spec.support.process"

local probes = {}

--- The alias, and the flow, of these runs.
probes.FLOW = "probe"

local LOOP = [[
do $$
begin
  while exists (select from public.chaos_probing) loop
    perform pgflow.start_flow('probe', 'null');
    commit;
    perform pg_sleep(0.05);
  end loop;
end $$]]

---@class chaos.Probes
local methods = {}
methods.__index = methods

--- Begins to start them.
---@param db spec.Database
---@return chaos.Probes
function probes.open(db)
  db:text "create table public.chaos_probing as select 1 as one"
  local session = process.spawn { name = "probes", argv = { "psql", "-X", "-q", "-d", db.conninfo, "-c", LOOP } }
  return setmetatable({ db = db, session = session }, methods)
end

--- Starts no more.
function methods:finish()
  self.db:text "delete from public.chaos_probing"
  local ended = self.session:wait(20)
  assert(ended.code == 0, self.session:errors())
  self.session:forget()
end

return probes
