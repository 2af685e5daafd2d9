/* Runs luaflow.loader over the entries and reports what it returns. */
#include <fcntl.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "executor/finalizers.h"
#include "executor/isolation.h"
#include "executor/load.h"
#include "executor/state.h"

enum { SNAPSHOT_FD = 4, REGISTRY_MAX = 256 << 20 /* bytes of one worker's registry */ };

struct load {
  struct runtime *runtime;
  struct cursor *entries;
  uint32_t count;
  enum frame_type answer;
  struct buf payload; /* of the answer */
};

static const uint64_t hash_start = 0xcbf29ce484222325; /* FNV-1a, 64 bits */
static const uint64_t hash_prime = 0x100000001b3;

static uint64_t hash(uint64_t value, struct text text) {
  for (size_t i = 0; i <= text.length; i++) { /* one more for a separator */
    value ^= i < text.length ? (unsigned char)text.bytes[i] : 0;
    value *= hash_prime;
  }
  return value;
}

static void put_path(void *context, struct text path) {
  lua_State *L = context;
  lua_pushlstring(L, path.bytes, path.length);
  lua_pushboolean(L, true);
  lua_rawset(L, -3);
}

/* read(path) -> the text of a file of the root, or nothing */
static int read_file(lua_State *L) {
  struct text content;
  if (!modules_find(runtime_of(L)->modules, luaL_checkstring(L, 1), &content)) return 0;
  lua_pushlstring(L, content.bytes, content.length);
  return 1;
}

/* loading(module, path): reports to the host at once, in case the load never ends */
static int tell_loading(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  struct buf payload = {0};
  for (int i = 1; i <= 2; i++) {
    luaL_checkstring(L, i);
    runtime_put_clean(&payload, runtime_text(L, i));
  }
  runtime_send(runtime, FRAME_LOADING, 0, &payload);
  buf_free(&payload);
  runtime_flush(runtime);
  return 0;
}

/* A list of texts of the LOAD frame. [] -> [list] */
static void push_texts(lua_State *L, struct cursor *payload, uint32_t count) {
  lua_newtable(L);
  for (uint32_t i = 1; i <= count; i++) {
    struct text text = cursor_text(payload);
    lua_pushlstring(L, text.bytes ? text.bytes : "", text.length);
    lua_rawseti(L, -2, (int)i);
  }
}

/* [] -> [argument of loader.load] */
static void push_request(lua_State *L, const struct load *load) {
  lua_createtable(L, 0, 10);
  lua_newtable(L);
  modules_each(load->runtime->modules, put_path, L);
  lua_setfield(L, -2, "files");
  push_texts(L, load->entries, load->count);
  lua_setfield(L, -2, "entries");
  push_texts(L, load->entries, load->runtime->types ? cursor_u32(load->entries) : 0);
  lua_setfield(L, -2, "samples");
  lua_pushstring(L, load->runtime->root);
  lua_setfield(L, -2, "root");
  lua_pushlightuserdata(L, load->runtime);
  lua_pushcclosure(L, read_file, 1);
  lua_setfield(L, -2, "read");
  lua_pushlightuserdata(L, load->runtime);
  lua_pushcclosure(L, tell_loading, 1);
  lua_setfield(L, -2, "loading");
  lua_getglobal(L, "require");
  lua_setfield(L, -2, "require");
  lua_pushvalue(L, LUA_GLOBALSINDEX);
  lua_setfield(L, -2, "globals");
  lua_rawgeti(L, LUA_REGISTRYINDEX, load->runtime->host);
  lua_getfield(L, -1, "encode");
  lua_setfield(L, -3, "encode");
  lua_pop(L, 1);
  lua_pushboolean(L, load->runtime->types);
  lua_setfield(L, -2, "types");
}

/* Appends a field of the table on top as text, null if it is not there. */
static void put_field(lua_State *L, struct buf *payload, const char *name) {
  lua_getfield(L, -1, name);
  runtime_put_clean(payload, runtime_text(L, -1));
  lua_pop(L, 1);
}

static int free_buf(lua_State *L) {
  buf_free(lua_touserdata(L, 1));
  return 0;
}

/* A buffer that an error frees as well. [] -> [userdata] */
static struct buf *push_buf(lua_State *L) {
  struct buf *buf = lua_newuserdata(L, sizeof *buf);
  *buf = (struct buf){0};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_buf);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return buf;
}

/* [problems] */
static void put_problems(lua_State *L, struct load *load) {
  int count = (int)lua_objlen(L, -1);
  load->answer = FRAME_PROBLEMS;
  buf_put_u32(&load->payload, (uint32_t)count);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);  // [problems, problem]
    put_field(L, &load->payload, "code");
    put_field(L, &load->payload, "message");
    put_field(L, &load->payload, "file");
    lua_getfield(L, -1, "line");
    buf_put_i64(&load->payload, (int64_t)lua_tonumber(L, -1));
    lua_pop(L, 1);
    put_field(L, &load->payload, "flow");
    put_field(L, &load->payload, "step");
    put_field(L, &load->payload, "hint");
    lua_pop(L, 1);
  }
}

/* The table on top as JSON, whatever it takes. [table] -> [text] */
static struct text to_json(lua_State *L, struct load *load, const char *root) {
  struct json_options options = {.root = root, .limit = REGISTRY_MAX};
  if (!json_encode(L, &load->runtime->json, -1, &options)) lua_error(L);
  lua_replace(L, -2);
  return runtime_text(L, -1);
}

/* Every flow and step that has a handler, and whether that has a transaction, as {"flow":{"step":false}}.
 * [handlers] -> [handlers, table] */
static void push_handler_keys(lua_State *L) {
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, -3);) {  // [handlers, keys, flow, steps]
    lua_newtable(L);
    for (lua_pushnil(L); lua_next(L, -3);) {  // [handlers, keys, flow, steps, step keys, step, record]
      lua_getfield(L, -1, "transaction");
      lua_replace(L, -2);
      lua_pushvalue(L, -2);
      lua_insert(L, -2);  // [handlers, keys, flow, steps, step keys, step, step, transaction]
      lua_rawset(L, -4);
    }
    lua_remove(L, -2);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -4);  // [handlers, keys, flow]
  }
}

/* The steps with a transaction and the maps: what the host treats specially. [handlers] */
static void put_special_steps(lua_State *L, struct buf *payload) {
  struct buf *steps = push_buf(L);  // [handlers, buffer]
  uint32_t count = 0;
  for (lua_pushnil(L); lua_next(L, -3);) {    // [handlers, buffer, flow, steps]
    for (lua_pushnil(L); lua_next(L, -2);) {  // [handlers, buffer, flow, steps, step, record]
      lua_getfield(L, -1, "transaction");
      lua_getfield(L, -2, "kind");
      bool transaction = lua_toboolean(L, -2), map = strcmp(luaL_checkstring(L, -1), "map") == 0;
      if (transaction || map) {
        struct text flow = runtime_text(L, -6), step = runtime_text(L, -4);
        buf_put_text(steps, flow.bytes, flow.length);
        buf_put_text(steps, step.bytes, step.length);
        buf_put_u8(steps, transaction);
        buf_put_u8(steps, map);
        count++;
      }
      lua_pop(L, 3);
    }
    lua_pop(L, 1);
  }
  buf_put_u32(payload, count);
  buf_put(payload, steps->data, steps->len);
  lua_pop(L, 1);
}

/* The digest goes first in the payload, so the workers are gathered apart. [workers, handlers] */
static void put_workers(lua_State *L, struct load *load, struct buf *workers) {
  char digest[17];
  uint64_t value = hash_start;
  int count = (int)lua_objlen(L, -2);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, -2, i);  // [workers, handlers, worker]
    size_t start = workers->len;
    put_field(L, workers, "queue");
    put_field(L, workers, "name");
    lua_getfield(L, -1, "registry");
    struct text registry = to_json(L, load, "registry");
    buf_put_text(workers, registry.bytes, registry.length);
    value = hash(value, (struct text){.bytes = workers->data + start, .length = workers->len - start});
    lua_pop(L, 2);
  }
  push_handler_keys(L);
  value = hash(value, to_json(L, load, "handlers"));
  lua_pop(L, 1);
  snprintf(digest, sizeof digest, "%016" PRIx64, value);
  load->answer = FRAME_LOADED;
  buf_put_str(&load->payload, digest);
  buf_put_u32(&load->payload, (uint32_t)count);
  buf_put(&load->payload, workers->data, workers->len);
}

/* [types] */
static void put_types(lua_State *L, struct buf *payload) {
  int count = (int)lua_objlen(L, -1);
  buf_put_u32(payload, (uint32_t)count);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, i);  // [types, file]
    put_field(L, payload, "name");
    put_field(L, payload, "text");
    lua_pop(L, 1);
  }
}

/* [data]: paths that are no texts of a frame are left out */
static void put_data_files(lua_State *L, struct buf *payload) {
  uint32_t count = (uint32_t)lua_objlen(L, -1);
  buf_put_u32(payload, count);
  for (uint32_t i = 1; i <= count; i++) {
    lua_rawgeti(L, -1, (int)i);
    buf_put_str(payload, lua_tostring(L, -1));
    lua_pop(L, 1);
  }
}

static void turn_over(void *runtime, uint64_t task) {
  isolation_turn_over(runtime, task);
  finalizers_tell_errors(runtime);
}

static int run_loader(lua_State *L) {
  struct load *load = lua_touserdata(L, 1);
  runtime_require(L, "luaflow.run");
  lua_getfield(L, -1, "task");
  load->runtime->run = luaL_ref(L, LUA_REGISTRYINDEX);
  struct buf *workers = push_buf(L);
  runtime_require(L, "luaflow.loader");
  lua_getfield(L, -1, "load");
  push_request(L, load);
  lua_call(L, 1, 1);  // [result]
  lua_getfield(L, -1, "problems");
  if (lua_objlen(L, -1) > 0) {
    put_problems(L, load);
    return 0;
  }
  lua_getfield(L, -2, "workers");
  lua_getfield(L, -3, "handlers");
  put_workers(L, load, workers);
  lua_getfield(L, -4, "types");
  put_types(L, &load->payload);
  lua_pop(L, 1);
  put_special_steps(L, &load->payload);
  lua_pushvalue(L, -4);  // [result, problems, workers, handlers, result]
  put_field(L, &load->payload, "silent");
  lua_getfield(L, -1, "data");
  put_data_files(L, &load->payload);
  lua_pop(L, 2);
  load->runtime->handlers = luaL_ref(L, LUA_REGISTRYINDEX);
  guard_globals(L, load->runtime);
  guard_strings(L);
  load->runtime->isolation = isolation_new();
  sched_isolate(load->runtime->sched, turn_over, load->runtime);
  return 0;
}

/* What is no fault of a single module: one problem with the error's text. */
static void put_error(struct load *load, const struct err *err) {
  buf_clear(&load->payload);
  load->answer = FRAME_PROBLEMS;
  buf_put_u32(&load->payload, 1);
  buf_put_str(&load->payload, "load_error");
  runtime_put_clean(&load->payload, (struct text){.bytes = err->message, .length = strlen(err->message)});
  buf_put_str(&load->payload, NULL);
  buf_put_i64(&load->payload, 0);
  for (int i = 0; i < 3; i++) buf_put_str(&load->payload, NULL);
}

/* Where memory runs out, the kernel is to choose an executor before the host or a database. */
static void offer_to_kernel(void) {
  static const char score[] = "500";
  int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, score, sizeof score - 1) < 0) perror("luaflow: executor: oom_score_adj");
  close(file);
}

static void do_nothing(int number) { (void)number; }

/* A handler that writes to a reader that went away, or past the limit of a file's size, gets an error. They are caught
 * and not ignored, since programs that handlers start would inherit that. */
static void outlive_writes(void) {
  struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART};
  sigaction(SIGPIPE, &action, NULL);
  sigaction(SIGXFSZ, &action, NULL);
}

void executor_load_flows(struct runtime *runtime, struct cursor *payload, uint32_t count) {
  struct err err = {0};
  struct load load = {.runtime = runtime, .entries = payload, .count = count};
  offer_to_kernel();
  outlive_writes();
  setvbuf(stdout, NULL, _IOLBF, 0);
  runtime->modules = modules_open(SNAPSHOT_FD, &err);
  bool good = runtime->modules && state_open(runtime, &err) && state_protect(runtime->L, run_loader, &load, &err);
  if (!good) put_error(&load, &err);
  if (fflush(stdout) != 0)
    perror("luaflow: executor: standard output"); /* the process may be killed once it has answered */
  runtime_send(runtime, load.answer, 0, &load.payload);
  buf_free(&load.payload);
}
