-- Real processes: each starts in a group of its own with its output in files, dies with the specs, and can be signalled,
-- waited for and looked for. With a terminal it gets a session and a pseudo-terminal of its own instead.
local ffi = require "ffi"
local bit = require "bit"
local lfs = require "lfs"
local files = require "spec.support.files"
local terminal = require "spec.support.terminal"
local wait = require "spec.support.wait"

ffi.cdef [[
extern char **environ;
int getpid(void);
int kill(int pid, int signal);
int waitpid(int pid, int *status, int options);
int posix_spawnp(int *pid, const char *file, const void *actions, const void *attributes, char *const argv[], char *const envp[]);
int posix_spawn_file_actions_init(void *actions);
int posix_spawn_file_actions_destroy(void *actions);
int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, unsigned mode);
int posix_spawn_file_actions_addchdir_np(void *actions, const char *path);
int posix_spawn_file_actions_addclosefrom_np(void *actions, int from);
int posix_spawnattr_init(void *attributes);
int posix_spawnattr_destroy(void *attributes);
int posix_spawnattr_setflags(void *attributes, short flags);
int posix_spawnattr_setpgroup(void *attributes, int group);
int posix_spawnattr_setsigdefault(void *attributes, const void *signals);
int posix_spawnattr_setsigmask(void *attributes, const void *signals);
int sigemptyset(void *signals);
int sigfillset(void *signals);
ssize_t readlink(const char *path, char *buffer, size_t size);
]]

local C = ffi.C
local SIZE = 512 -- more than any of libc's opaque types here
local O_RDONLY, O_RDWR, O_WRITE_NEW, O_APPEND_NEW = 0, 2, 0x241, 0x441
local SETPGROUP, SETSIGDEF, SETSIGMASK = 0x02, 0x04, 0x08
local WNOHANG = 1

local process = {
  SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGUSR1 = 10, SIGTERM = 15, SIGCONT = 18, SIGSTOP = 19,
}

---@class spec.Process
---@field pid integer
---@field name string
---@field out string path of the file with its standard output
---@field err string path of the file with its standard error
---@field mark string the value of SPEC_PROCESS in its environment, which its children inherit
local methods = {}
methods.__index = methods

-- Every process that was started and not yet forgotten.
local started = {}
local count = 0

--- The executable under test: the one that runs these specs.
---@return string
function process.luaflow()
  local buffer = ffi.new("char[?]", 4096)
  local length = C.readlink("/proc/self/exe", buffer, 4096)
  return (ffi.string(buffer, length):gsub(" %(deleted%)$", ""))
end

local function is_own_setting(name)
  return name:find "^LUAFLOW_" or name:find "^PG" or name == "DATABASE_URL"
end

-- The environment of the specs without what would direct luaflow or libpq, and with the given variables.
local function environment(given, mark)
  local variables = {}
  local at = 0
  while C.environ[at] ~= nil do
    local name, value = ffi.string(C.environ[at]):match "^([^=]+)=(.*)$"
    if name and not is_own_setting(name) then variables[name] = value end
    at = at + 1
  end
  for name, value in pairs(given or {}) do variables[name] = value or nil end
  variables.SPEC_PROCESS = mark
  local list = {}
  for name, value in pairs(variables) do list[#list + 1] = name .. "=" .. value end
  return list
end

local function text_array(list)
  local array = ffi.new("char *[?]", #list + 1)
  for i, text in ipairs(list) do array[i - 1] = ffi.cast("char *", text) end
  return array
end

-- The words that make it die with the specs and, on a terminal, lead a session there.
local function command_line(options)
  local argv = { "setpriv", "--pdeathsig", "KILL", "--" }
  if options.terminal then
    argv[#argv + 1] = "setsid"
    argv[#argv + 1] = "--ctty"
  end
  for _, word in ipairs(options.argv) do argv[#argv + 1] = tostring(word) end
  return argv
end

local function file_actions(self, options)
  local actions = ffi.new("char[?]", SIZE)
  C.posix_spawn_file_actions_init(actions)
  if options.cwd then C.posix_spawn_file_actions_addchdir_np(actions, options.cwd) end
  if self.terminal then
    for fd = 0, 2 do C.posix_spawn_file_actions_addopen(actions, fd, self.terminal.path, O_RDWR, 0) end
  else
    C.posix_spawn_file_actions_addopen(actions, 0, options.stdin or "/dev/null", O_RDONLY, 0)
    C.posix_spawn_file_actions_addopen(actions, 1, self.out, O_WRITE_NEW, 420)
    C.posix_spawn_file_actions_addopen(actions, 2, self.err, O_APPEND_NEW, 420)
  end
  C.posix_spawn_file_actions_addclosefrom_np(actions, 3)
  return actions
end

local function spawn_attributes(options)
  local attributes, signals = ffi.new("char[?]", SIZE), ffi.new("char[?]", SIZE)
  C.posix_spawnattr_init(attributes)
  C.sigfillset(signals)
  C.posix_spawnattr_setsigdefault(attributes, signals)
  C.sigemptyset(signals)
  C.posix_spawnattr_setsigmask(attributes, signals)
  C.posix_spawnattr_setpgroup(attributes, 0)
  local group = options.terminal and 0 or SETPGROUP -- a leader of a group could not become one of a session
  C.posix_spawnattr_setflags(attributes, SETSIGDEF + SETSIGMASK + group)
  return attributes
end

--- Starts a program.
---@param options { argv: string[], name?: string, env?: table<string, string|false>, cwd?: string, stdin?: string, terminal?: boolean,
---  alone?: boolean, stays?: boolean } alone: it starts no process, so at its end none of its own is looked for; stays: it outlives scenes
---@return spec.Process
function process.spawn(options)
  count = count + 1
  local self = setmetatable({ name = options.name or options.argv[1], folder = files.temporary_folder() }, methods)
  self.alone, self.stays = options.alone, options.stays
  self.out, self.err = self.folder .. "/out", self.folder .. "/err"
  self.mark = ("%d-%d-%g"):format(C.getpid(), count, wait.now())
  if options.terminal then self.terminal = terminal.open() end
  local argv, env = command_line(options), environment(options.env, self.mark)
  local actions, attributes = file_actions(self, options), spawn_attributes(options)
  local pid = ffi.new "int[1]"
  local failure = C.posix_spawnp(pid, argv[1], actions, attributes, text_array(argv), text_array(env))
  C.posix_spawn_file_actions_destroy(actions)
  C.posix_spawnattr_destroy(attributes)
  if failure ~= 0 then error(("%s cannot be started: error %d"):format(argv[1], failure), 2) end
  self.pid = pid[0]
  started[self] = true
  return self
end

--- Runs a program to its end; kills it and raises after the limit (60 s unless given).
---@param options table as for spawn, with `seconds`
---@return { code: integer?, signal: integer?, out: string, err: string }
function process.run(options)
  local self = process.spawn(options)
  local result = self:wait(options.seconds or 60)
  local output = { code = result.code, signal = result.signal, out = self:output(), err = self:errors() }
  self:forget()
  return output
end

--- Sends a signal to this process alone.
---@param signal integer
function methods:signal(signal)
  if not self.ended then C.kill(self.pid, signal) end
end

--- Sends a signal to a process that was not started here, such as one of the database's.
---@param pid integer
---@param signal integer
function process.send(pid, signal)
  assert(C.kill(pid, signal) == 0, "no such process")
end

--- How it ended, or nil while it runs.
---@return { code: integer?, signal: integer? }?
function methods:poll()
  if self.terminal then self.terminal:drain() end
  if self.ended then return self.ended end
  local status = ffi.new "int[1]"
  if C.waitpid(self.pid, status, WNOHANG) ~= self.pid then return nil end
  local signal = bit.band(status[0], 0x7f)
  self.ended = signal ~= 0 and { signal = signal } or { code = bit.band(bit.rshift(status[0], 8), 0xff) }
  if self.terminal then self.terminal:drain() end
  return self.ended
end

--- Waits until it has ended; after that many seconds it is killed, and this raises.
---@param seconds number
---@return { code: integer?, signal: integer? }
function methods:wait(seconds)
  local ok = pcall(wait.till, function() return self:poll() end, seconds, self.name, 0.005)
  if ok then return self.ended end
  self:kill()
  error(("%s had not ended after %g s:\n%s"):format(self.name, seconds, self:errors()), 2)
end

--- Kills it with SIGKILL and reaps it.
function methods:kill()
  self:signal(process.SIGKILL)
  wait.till(function() return self:poll() end, 10, self.name .. " to be killed", 0.005)
end

--- What it has written to standard output so far; on a terminal, everything.
---@return string
function methods:output()
  if self.terminal then return self.terminal:text() end
  return files.read(self.out)
end

--- What it has written to standard error so far; on a terminal, everything.
---@return string
function methods:errors()
  if self.terminal then return self.terminal:text() end
  return files.read(self.err)
end

-- True if the process has an environment, which a zombie has not, with that mark.
local function is_marked(pid, mark)
  return ("\0" .. files.read(("/proc/%s/environ"):format(pid))):find("\0SPEC_PROCESS=" .. mark .. "\0", 1, true) ~= nil
end

--- The ids of itself and its descendants that still live, wherever they have been moved to.
---@return integer[]
function methods:living()
  local pids = {}
  for name in lfs.dir "/proc" do
    if name:find "^%d+$" and is_marked(name, self.mark) then pids[#pids + 1] = tonumber(name) end
  end
  return pids
end

--- Raises if anything of it still lives after the seconds.
---@param seconds? number
function methods:assert_gone(seconds)
  wait.till(function() return self:poll() and #self:living() == 0 end, seconds or 5, self.name .. " and its children to be gone")
end

--- Ends whatever lives of it, and removes its files.
function methods:forget()
  if not self.ended then self:kill() end
  for _, pid in ipairs(self.alone and {} or self:living()) do C.kill(pid, process.SIGKILL) end
  if self.terminal then self.terminal:close() end
  files.remove(self.folder)
  started[self] = nil
end

--- Every process that was started and not forgotten.
---@return spec.Process[]
function process.started()
  local list = {}
  for self in pairs(started) do list[#list + 1] = self end
  table.sort(list, function(a, b) return a.pid < b.pid end)
  return list
end

--- Processor time, in seconds, that the processes have used together.
---@param pids integer[]
---@return number
function process.cpu_seconds(pids)
  local nanoseconds = 0
  for _, pid in ipairs(pids) do
    local tasks = ("/proc/%d/task"):format(pid)
    for thread in lfs.dir(tasks) do
      local told = thread:find "^%d" and files.read(("%s/%s/schedstat"):format(tasks, thread)):match "^%d+"
      nanoseconds = nanoseconds + (tonumber(told) or 0)
    end
  end
  return nanoseconds / 1e9
end

return process
