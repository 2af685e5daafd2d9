-- What is right and wrong after the faults: one line for each question, and whether anything is wrong.
local files = require "spec.support.files"
local load = require "tools.lib.chaos.load"

local verdict = {}

-- How often handlers ran, and how often one ran although its task had completed before it was claimed.
local function executions(db, path)
  local counts, total = {}, 0
  for _, line in ipairs(files.lines(path)) do
    local key, claimed = line:match "^(%S+ %S+ %d+) %d+ ([%d.]+)$"
    if key then
      total = total + 1
      local seen = counts[key] or { times = 0, latest = 0 }
      seen.times, seen.latest = seen.times + 1, math.max(seen.latest, tonumber(claimed))
      counts[key] = seen
    end
  end
  local never, after = 0, 0
  local rows = db:text [[
    select t.run_id || ' ' || t.step_slug || ' ' || t.task_index, extract(epoch from t.completed_at)
    from pgflow.step_tasks t where t.status = 'completed']]
  for key, completed in rows:gmatch "([^|\n]+)|([%d.]+)" do
    local seen = counts[key]
    if not seen then never = never + 1 end
    if seen and seen.latest > tonumber(completed) + 0.5 then after = after + 1 end
  end
  local distinct = 0
  for _ in pairs(counts) do distinct = distinct + 1 end
  return { total = total, again = total - distinct, never = never, after = after }
end

--- Tells the verdict through say(line); returns true if nothing is wrong.
---@param scene { db: spec.Database, queue: string, started: integer, builtin: boolean, executions: string, surprises: string[],
---   recovered_in: number?, connections: integer[], memory: number[] }
---@param say fun(line: string)
---@return boolean
function verdict.tell(scene, say)
  local db, wrong = scene.db, 0
  local function judge(name, count, detail)
    if count > 0 then wrong = wrong + 1 end
    say(("%-4s %s: %d%s"):format(count > 0 and "BAD" or "ok", name, count, detail and ("   " .. detail) or ""))
    return count
  end

  local runs = db:number "select count(*) from pgflow.runs"
  local completed = db:number "select count(*) from pgflow.runs r where r.status = 'completed'"
  say(("     runs started: %d, completed: %d"):format(scene.started, completed))
  local lost = judge("lost", (scene.started - runs) + (runs - completed), db:text [[
    select string_agg(distinct r.status || ' ' || coalesce(r.error_message, ''), '; ') from pgflow.runs r where r.status <> 'completed']])
  local stuck = judge("stuck", db:number "select count(*) from pgflow.step_tasks t where t.status in ('queued', 'started')")
  local duplicated = 0
  if scene.builtin then
    judge("wrong outputs", db:number(
      "select count(*) from pgflow.runs r where r.status = 'completed' and r.output is distinct from " .. load.EXPECTED))
    local ran = executions(db, scene.executions)
    say(("     handlers ran: %d times, %d of them again (at least once)"):format(ran.total, ran.again))
    judge("completed without having run", ran.never)
    duplicated = judge("duplicated: claimed again after completion", ran.after)
  end
  local invariants = judge("invariants", db:number "select count(*) from pgflow.check_invariants()",
    db:text "select string_agg(distinct i.invariant, '; ') from pgflow.check_invariants() i")
  judge("archived without a task", db:number(([[
    select count(*) from pgmq.a_%s a where not exists (
      select from pgflow.step_tasks t where t.queue_name = '%s' and t.message_id = a.msg_id)]]):format(scene.queue, scene.queue)))
  judge("left in the queue", db:number(("select count(*) from pgmq.q_%s"):format(scene.queue)))
  judge("deadlocks since the server's last crash", db:number [[
    select deadlocks from pg_stat_database where datname = current_database()]])
  judge("surprises", #scene.surprises, table.concat(scene.surprises, "; "))
  judge("more connections than at the start", math.max(0, scene.connections[2] - scene.connections[1]),
    ("%d, then %d"):format(scene.connections[1], scene.connections[2]))
  judge("MB of a host more than twice those at the start", math.max(0, math.floor(scene.memory[2] - 2 * scene.memory[1])),
    ("%.1f MB, then %.1f MB"):format(scene.memory[1], scene.memory[2]))
  judge("not recovered in time", scene.recovered_in and 0 or 1)
  if scene.recovered_in then say(("     recovered %.1f s after the last fault"):format(scene.recovered_in)) end
  say(("chaos: lost %d, duplicated %d, stuck %d, invariants %d, other faults %d"):format(
    lost, duplicated, stuck, invariants, wrong - (lost > 0 and 1 or 0) - (duplicated > 0 and 1 or 0) - (stuck > 0 and 1 or 0)
    - (invariants > 0 and 1 or 0)))
  return wrong == 0
end

return verdict
