-- luaflow lua tools/lib/bank/main.lua: see tools/bank. A private server, workers that are killed and started again, and one count at the
-- end.
local faults = require "tools.lib.chaos.faults"
local files = require "spec.support.files"
local fleet = require "tools.lib.chaos.fleet"
local flows = require "spec.support.flows"
local lfs = require "lfs"
local server = require "spec.support.server"
local wait = require "spec.support.wait"

local NUMBERS = { tasks = 5000, workers = 4, seed = 1, restarts = 2, hosts = 6, executors = 20 }
local BALANCE, TASKS_OF_A_RUN, CONCURRENCY = 1000000, 50, 16
local RECOVERY = 240 -- seconds without any run's end

-- The ledger has no key, so that it shows what was applied twice.
local TABLES = [[
create table accounts (id text primary key, balance bigint not null);
create table ledger (transfer int not null);
]]

local FLOW = [[
local luaflow = require "luaflow"
local transaction = %s

-- Locked always in this order, so that there are no deadlocks.
local MOVE = [=[
  with locked as materialized (select a.id from accounts a order by a.id for update)
  update accounts a set balance = a.balance + case a.id when $1 then -$2::bigint else $2::bigint end
  from locked l where l.id = a.id]=]

return luaflow.flow { slug = "bank", max_attempts = 100, base_delay = 0, timeout = 20 }
  :map({ slug = "transfer", transaction = transaction }, function(transfer, ctx)
    local on = transaction and ctx.tx or ctx
    on:query("insert into ledger values ($1)", transfer.id)
    ctx:sleep(0.01)
    on:query(MOVE, transfer.from, transfer.amount)
    return transfer.id
  end)
]]

-- Transfer i, as SQL.
local TRANSFER = [[jsonb_build_object('id', i, 'from', case i % 3 when 0 then 'b' else 'a' end, 'amount', i % 7 + 1)]]

local function fail(message)
  io.stderr:write("bank: ", message, "\n")
  os.exit(2)
end

local function read_options(words)
  local options = { transaction = true }
  for name, default in pairs(NUMBERS) do options[name] = default end
  for i = 1, #words, 2 do
    local name, value = words[i]:match "^%-%-(%a+)$", words[i + 1]
    if name == "transaction" and (value == "yes" or value == "no") then
      options.transaction = value == "yes"
    elseif NUMBERS[name] and tonumber(value) and tonumber(value) >= 0 then
      options[name] = tonumber(value)
    else
      fail(("%s %s is not understood; see tools/bank --help"):format(words[i], value or ""))
    end
  end
  return options
end

local options = read_options { select(2, ...) } -- the first is the context
local begun = wait.now()

local function say(line, ...)
  io.stdout:write(("%7.1f  "):format(wait.now() - begun), line:format(...), "\n")
  io.stdout:flush()
end

local function open_scene(scene)
  scene.server = server.open()
  scene.db = scene.server:database()
  scene.db:text(TABLES)
  scene.db:text(("insert into accounts values ('a', %d), ('b', %d)"):format(BALANCE, BALANCE))
  local root = flows.root { ["flows/bank.lua"] = FLOW:format(options.transaction) }
  local places = {}
  for i = 1, options.workers do places[i] = { root = root } end
  scene.fleet = fleet.open(scene.db, places, {
    paths = { "flows" }, logs = scene.logs, executions = scene.logs .. "/executions", concurrency = CONCURRENCY,
  })
  scene.fleet:await_running()
  scene.db:text(([[
    select count(*) from (
      select jsonb_agg(%s) as input from generate_series(1, %d) i group by i / %d) r, lateral pgflow.start_flow('bank', r.input)]])
    :format(TRANSFER, options.tasks, TASKS_OF_A_RUN))
end

-- All faults in the order in which they come: restarts evenly among the others.
local function plan()
  math.randomseed(options.seed)
  local list = {}
  for _ = 1, options.hosts do list[#list + 1] = "kill_host" end
  for _ = 1, options.executors do list[#list + 1] = "kill_executor" end
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
  for i = 1, options.restarts do
    table.insert(list, math.floor(#list * i / (options.restarts + 1)) + 1, i % 2 == 1 and "restart_immediate" or "restart_fast")
  end
  return list
end

local COUNT = [[
  select count(*) filter (where r.status = 'completed') || ' ' || count(*) || ' ' ||
    (select count(*) from pgflow.step_tasks t where t.status = 'completed') from pgflow.runs r]]

-- Completed runs, runs, completed tasks; nil while the database is away.
local function progress(scene)
  local completed, runs, tasks = scene.db:try(COUNT).out:match "(%d+) (%d+) (%d+)"
  return tonumber(completed), tonumber(runs), tonumber(tasks)
end

-- Faults come as the transfers do, so that they meet them from the first to the last.
local function run(scene)
  local list, at, last, last_completed = plan(), 1, wait.now(), 0
  while true do
    scene.fleet:supervise()
    local completed, runs, tasks = progress(scene)
    if completed and completed > last_completed then last, last_completed = wait.now(), completed end
    if completed and completed == runs and at > #list then return true end
    if wait.now() - last > RECOVERY then return false end
    local due = tasks and tasks >= options.tasks * at / (#list + 1)
    if list[at] and (due or completed == runs) then
      local fault = { kind = list[at], worker = math.random(options.workers), choice = math.random(1000) }
      say("%s: %s, at transfer %d", fault.kind, faults.apply(scene, fault), tasks or -1)
      at = at + 1
    end
    wait.pause(0.05)
  end
end

-- What is wrong, in words with a number each.
local CHECKS = {
  { "transfers lost", "select :tasks - count(distinct l.transfer) from ledger l" },
  { "transfers applied more than once", "select count(*) from (select from ledger l group by l.transfer having count(*) > 1) d" },
  { "money made or lost", "select sum(a.balance) - 2 * :balance from accounts a" },
  { "difference of account a", [[
      select a.balance - :balance - coalesce(sum(case i % 3 when 0 then 1 else -1 end * (i % 7 + 1)), 0)
      from accounts a, generate_series(1, :tasks) i where a.id = 'a' group by a.balance]] },
  { "runs not completed", "select count(*) from pgflow.runs r where r.status <> 'completed'" },
  { "transactions left open", "select count(*) from pgflow.open_transactions" },
  { "violated invariants", "select count(*) from pgflow.check_invariants(true)" },
}

local function judge(scene, ended)
  local good = ended
  if not ended then say("BAD  nothing has ended for %d s", RECOVERY) end
  for _, check in ipairs(CHECKS) do
    local number = scene.db:number(check[2], { tasks = options.tasks, balance = BALANCE })
    say("%s  %s: %d", number == 0 and "ok " or "BAD", check[1], number)
    good = good and number == 0
  end
  for _, surprise in ipairs(scene.fleet.surprises) do
    say("BAD  %s", surprise)
    good = false
  end
  return good
end

local function count_in_logs(scene, verb)
  local count = 0
  for name in lfs.dir(scene.logs) do
    if name:find "^worker" then count = count + select(2, files.read(scene.logs .. "/" .. name):gsub('"verb":"' .. verb .. '"', "")) end
  end
  return count
end

say("%d transfers, %d workers, transaction = %s", options.tasks, options.workers, tostring(options.transaction))
local folder = files.temporary_folder()
local scene = { logs = folder .. "/logs" }
files.make_folder(scene.logs)
local ok, good = xpcall(function()
  open_scene(scene)
  local ended = run(scene)
  local result = judge(scene, ended)
  scene.fleet:close()
  say("%d commits were not answered, %d handlers were run again after a conflict", count_in_logs(scene, "commit_unanswered"),
    count_in_logs(scene, "restarted_handler"))
  scene.server:close()
  return result
end, debug.traceback)
if not ok then
  say("%s", good)
  if scene.fleet then pcall(scene.fleet.abandon, scene.fleet) end
  if scene.server then pcall(scene.server.close, scene.server) end
end
if ok and good then files.remove(folder) else say("the logs are kept in %s", scene.logs) end
os.exit(ok and good and 0 or 1)
