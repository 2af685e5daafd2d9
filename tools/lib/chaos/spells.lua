-- Faults of the database that last: what is wrong with it for a while, without it being away.
local spells = {}

local PATIENCE = 20 -- seconds, for an answer of the database

-- A trigger that can be made slow without a lock on its table, and somebody to send events to, as owners of databases have them.
local PREPARED = [[
  create table public.chaos_slow (seconds float8 not null);
  insert into public.chaos_slow values (0);
  create function public.chaos_slow() returns trigger language plpgsql as $$
  begin
    if current_setting('application_name') like 'luaflow worker%' then
      perform pg_sleep(s.seconds) from public.chaos_slow s where s.seconds > 0;
    end if;
    return null;
  end; $$;
  create trigger chaos_slow after update on pgflow.runs for each statement execute function public.chaos_slow();

  create schema realtime;
  create table realtime.messages (
    payload jsonb, event text, topic text, private boolean, inserted_at timestamptz not null default now()
  ) partition by range (inserted_at);
  create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
  language sql as $$ insert into realtime.messages values (payload, event, topic, private); $$;]]

local PARTITION = [[
  create table if not exists realtime.messages_of_now partition of realtime.messages for values from ('2000-01-01') to ('2200-01-01')]]

--- Makes what the spells need.
---@param db spec.Database
function spells.prepare(db)
  db:text(PREPARED .. PARTITION)
end

-- Whether the database did it; the locks that a statement needs are waited for a little, so that nobody waits long behind it.
local function done(scene, sql)
  local asked, answer = pcall(scene.db.try, scene.db, "set lock_timeout = '3s';" .. sql, nil, PATIENCE)
  return asked and answer.code == 0
end

-- Does the one; what ends it does the other, until that is done.
local function spell(scene, begin, finish)
  local text = done(scene, begin) and "begun" or "not begun"
  return text, function() return done(scene, finish) end
end

-- A statement that takes longer than the host's patience, or just long.
function spells.slow_trigger(scene, fault)
  local seconds = fault.choice % 2 == 0 and 16 or 1
  local text, finish = spell(scene, ("update public.chaos_slow set seconds = %d"):format(seconds),
    "set default_transaction_read_only = off; update public.chaos_slow set seconds = 0")
  return ("%d s, %s"):format(seconds, text), finish
end

local function read_only(value)
  return ("alter system set default_transaction_read_only = %s;\nselect pg_reload_conf()"):format(value)
end

function spells.read_only(scene)
  return spell(scene, read_only "on", read_only "off")
end

--- Ends a read-only spell early: a server that is started migrates, which needs to write.
---@param scene chaos.Scene
function spells.allow_writes(scene)
  done(scene, read_only "off")
end

function spells.purge(scene)
  local text = ("select pgmq.purge_queue(q.queue_name) from pgflow.queues q")
  return done(scene, text) and "of all messages" or "not done"
end

function spells.lost_partition(scene)
  return spell(scene, "drop table if exists realtime.messages_of_now", "set default_transaction_read_only = off;" .. PARTITION)
end

return spells
