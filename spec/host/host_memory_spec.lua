-- The host's memory: what one handler asks for or sends costs the host a little more than --max-output, and nobody else.
local cjson = require "cjson.safe"
local files = require "spec.support.files"
local scene = require "spec.support.scene"
local wait = require "spec.support.wait"

local FLOWS = [[
local luaflow = require "luaflow"
local ffi = require "ffi"
ffi.cdef "ssize_t write(int, const void *, size_t);"

local acts = {}

function acts.query(input, ctx)
  local ok, problem = pcall(ctx.query, ctx, input.sql)
  return { ok = ok, sqlstate = not ok and problem.sqlstate or nil, message = not ok and tostring(problem) or nil,
    after = ctx:query("select 1 as a")[1].a }
end
function acts.raise() error(("y"):rep(20e6)) end
function acts.say(_, ctx) ctx:log("info", ("z"):rep(20e6)) return "said" end
function acts.send(input, ctx)
  return { ok = pcall(ctx.query, ctx, "select length($1) as n", ("q"):rep(input.bytes)) }
end
function acts.forge()
  local header = ffi.new("uint32_t[4]", 500e6, 11, 1, 0)
  ffi.C.write(3, header, 16)
  while true do ffi.C.write(3, ("f"):rep(1e6), 1e6) end
end

local function act(input, ctx) return acts[input.act](input, ctx) end
local function transact(input, ctx)
  ctx.tx:query "insert into public.noted values (1)"
  ctx.tx:query(input.sql)
end

return luaflow.worker { queue = "large", flows = {
  luaflow.deploy(luaflow.flow { slug = "large", max_attempts = 1, timeout = 120 }:step({ slug = "act" }, act),
    { routes = { act = "large" } }),
  luaflow.deploy(luaflow.flow { slug = "guarded", max_attempts = 2, base_delay = 0, timeout = 120 }
    :step({ slug = "act", transaction = true }, transact), { routes = { act = "large" } }),
} }
]]

describe("the host's memory", function()
  local here, worker

  before_each(function()
    here = scene.open { ["flows/large.lua"] = FLOWS }
    worker = here:worker { args = { "--queue", "large", "--executors", "1", "--max-output", "2MB" } }
  end)
  after_each(function() here:close() end)

  local function complete(input, flow) return here.db:complete(flow or "large", cjson.encode(input), 120) end

  -- The most that it ever had, in MB.
  local function peak()
    return tonumber(files.read(("/proc/%d/status"):format(worker.process.pid)):match "VmHWM:%s*(%d+)") / 1024
  end

  local HUGE = "select repeat('a', 300000000)"

  it("is not what one row of a query costs, nor one message of the server", function()
    local before = peak()
    for _, sql in ipairs { HUGE, "do $$ begin raise exception '%', repeat('a', 300000000); end $$" } do
      local run = complete { act = "query", sql = sql }
      assert.equal("completed", run.status, run.error_message)
      local seen = run.output.act
      assert.same({ false, "54000", 1 }, { seen.ok, seen.sqlstate, seen.after })
      assert.is_truthy(seen.message:find("the result is larger than --max-output allows", 1, true), seen.message)
    end
    assert.is_true(peak() - before < 30, ("from %d to %d MB"):format(before, peak()))
    print(("# rows and messages of 300 MB: the host went from %d to %d MB"):format(before, peak()))
    wait.till(function() return here.db:number [[
      select count(*) from pg_stat_activity a
      where a.datname = current_database() and a.query like '%repeat(%' and a.pid <> pg_backend_pid()]] == 0
    end, 20, "the server's processes to end")
  end)

  it("takes rows up to --max-output", function()
    for _, bytes in ipairs { 1000000, 1900000 } do
      local run = complete { act = "query", sql = ("select repeat('a', %d) as a"):format(bytes) }
      assert.is_true(run.output.act.ok, run.output.act.message)
    end
  end)

  it("is not what one row in a transaction costs, and the attempt is charged", function()
    here.db:text "create table public.noted (n int)"
    local before = peak()
    local run = complete({ sql = HUGE }, "guarded")
    assert.equal("failed", run.status)
    assert.is_truthy(run.error_message:find("larger than --max-output allows", 1, true), run.error_message)
    assert.equal(2, here.db:number "select t.attempts_count from pgflow.step_tasks t")
    assert.equal(0, here.db:number "select count(*) from public.noted")
    assert.is_true(peak() - before < 30, ("from %d to %d MB"):format(before, peak()))
  end)

  it("is not what a deferred trigger says as its transaction commits, and the attempt is charged", function()
    here.db:text [[
      create table public.noted (n int);
      create table public.loud (n int);
      create function public.shout() returns trigger language plpgsql as
        $$ begin raise exception '%', repeat('a', 50000000); end $$;
      create constraint trigger loud after insert on public.loud deferrable initially deferred
        for each row execute function public.shout()]]
    local before = peak()
    local run = complete({ sql = "insert into public.loud values (1)" }, "guarded")
    assert.equal("failed", run.status)
    assert.is_truthy(run.error_message:find("larger than --max-output allows", 1, true), run.error_message)
    assert.equal(2, here.db:number "select t.attempts_count from pgflow.step_tasks t")
    assert.equal(0, here.db:number "select count(*) from public.noted")
    assert.is_true(peak() - before < 30, ("from %d to %d MB"):format(before, peak()))
  end)

  it("is not what a handler raises, says or forges", function()
    local before = peak()
    assert.equal("failed", complete({ act = "raise" }).status)
    assert.equal("said", complete({ act = "say" }).output.act)
    assert.equal("failed", complete({ act = "forge" }).status)
    local reason = worker:await_log("executor_died").reason
    assert.is_truthy(reason:find("sent a frame that it cannot send, or one larger than --max-output", 1, true), reason)
    assert.is_true(peak() - before < 40, ("from %d to %d MB"):format(before, peak()))
  end)

  it("refuses a statement with parameters above --max-output", function()
    assert.is_true(complete({ act = "send", bytes = 1900000 }).output.act.ok)
    assert.is_false(complete({ act = "send", bytes = 4000000 }).output.act.ok)
  end)
end)
