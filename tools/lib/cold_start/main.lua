-- luaflow lua tools/lib/cold_start/main.lua: see tools/cold-start. A private server without autovacuum, one worker, a steady load.
local flows = require "spec.support.flows"
local process = require "spec.support.process"
local server = require "spec.support.server"
local wait = require "spec.support.wait"
local worker = require "spec.support.worker"

local DRAIN = 120 -- seconds for the last runs to end
local LOADERS = 8 -- connections that start runs, so that a slow disk does not slow the load

local FLOW = [[
local luaflow = require "luaflow"
return luaflow.flow { slug = "cold" }
  :step({ slug = "first" }, function(n) return n end)
  :step({ slug = "second", depends_on = { "first" } }, function(input) return input.first end)
  :step({ slug = "third", depends_on = { "second" } }, function(input) return input.second end)
]]

-- Starts each run in a transaction of its own, when it is due; late ones at once.
local LOAD = [[
create procedure public.load(p_rate float8, p_seconds float8) language plpgsql as $$
declare
  v_begun timestamptz := clock_timestamp();
begin
  for v_n in 0 .. (p_rate * p_seconds)::int - 1 loop
    perform pg_sleep(extract(epoch from v_begun + make_interval(secs => v_n / p_rate) - clock_timestamp()));
    perform pgflow.start_flow('cold', to_jsonb(v_n));
    commit;
  end loop;
end;
$$]]

local FIGURES = [[
select second, count(*), count(*) filter (where r.status <> 'completed'),
  percentile_disc(0.5) within group (order by r.took), percentile_disc(0.99) within group (order by r.took)
from (
  select r.status, extract(epoch from coalesce(r.completed_at, clock_timestamp()) - r.started_at) as took,
    floor(extract(epoch from r.started_at - min(r.started_at) over ()))::int as second
  from pgflow.runs r
) r group by second order by second]]

local function fail(message)
  io.stderr:write("cold-start: ", message, "\n")
  os.exit(2)
end

local function read_options(words)
  local options = { seconds = 120, rate = 250, limit = 0.5 }
  for i = 1, #words, 2 do
    local name, value = words[i]:match "^%-%-(%a+)$", tonumber(words[i + 1])
    if not options[name] or not value or value <= 0 then
      fail(("%s %s is not understood; see tools/cold-start --help"):format(words[i], words[i + 1] or ""))
    end
    options[name] = value
  end
  return options
end

-- Prints a line for each second; returns how many are above the limit, and how many runs did not complete.
local function report(figures, limit)
  local slow, open, worst = 0, 0, 0
  print "second   runs   p50 ms   p99 ms"
  for second, runs, unended, p50, p99 in figures:gmatch "(%d+)|(%d+)|(%d+)|([%d.]+)|([%d.]+)" do
    print(("%6d %6d %8.0f %8.0f%s"):format(second, runs, p50 * 1000, p99 * 1000, tonumber(p99) > limit and "  above the limit" or ""))
    slow = slow + (tonumber(p99) > limit and 1 or 0)
    open = open + tonumber(unended)
    worst = math.max(worst, tonumber(p99))
  end
  print(("worst p99 %.0f ms, %d seconds above the limit, %d runs not completed"):format(worst * 1000, slow, open))
  return slow, open
end

local function measure(scene, options)
  scene.server = server.open()
  scene.db = scene.server:database()
  scene.db:text "alter system set autovacuum = off"
  scene.db:text "select pg_reload_conf()"
  scene.root = flows.root { ["flows/cold.lua"] = FLOW }
  scene.worker = worker.start(scene.db, scene.root, { args = { "--log-level", "info", "--concurrency", "40" } })
  scene.db:text(LOAD)
  local call, loaders = ("call public.load(%g, %g)"):format(options.rate / LOADERS, options.seconds), {}
  for i = 1, LOADERS do
    loaders[i] = process.spawn { argv = { "psql", "-X", "-q", "-d", scene.db.conninfo, "-c", call }, name = "load" }
  end
  for _, loader in ipairs(loaders) do
    loader:wait(options.seconds * 3 + 60)
    loader:forget()
  end
  pcall(wait.till, function()
    return scene.db:text "select exists (select from pgflow.runs r where r.status = 'started')" == "f"
  end, DRAIN, "every run to end", 0.5)
  local slow, open = report(scene.db:text(FIGURES), options.limit)
  return slow == 0 and open == 0
end

local options = read_options { select(2, ...) } -- the first is the context
local scene = {}
local done, well = pcall(measure, scene, options)
if scene.worker then scene.worker:stop() end
if scene.server then scene.server:close() end
if scene.root then scene.root:remove() end
if not done then fail(tostring(well)) end
os.exit(well and 0 or 1)
