/* host.query and host.tx_query: the task waits for the host's answer to a statement. What is sent and how it looks to
 * handlers is lua/luaflow/pg.lua's; here are the frames. */
#include <lauxlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "executor/bind/bindings.h"
#include "executor/bind/pg_value.h"

/* Nothing to cancel here: the host sees that the task ends, and cancels the statement. */
static void cleanup(void *waiting) { (void)waiting; }

/* Arguments: in_transaction, sql, count, texts (false for null) */
static void check(lua_State *L) {
  luaL_checkstring(L, 2);
  luaL_checkinteger(L, 3);
  luaL_checktype(L, 4, LUA_TTABLE);
}

static int entry(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  struct buf payload = {0};
  check(L);
  struct coroutine *task = sched_check_wait(runtime->sched, L, lua_toboolean(L, 1) ? "ctx.tx:query" : "ctx:query");
  int count = (int)lua_tointeger(L, 3);
  struct text sql = runtime_text(L, 2);
  buf_put_u8(&payload, (uint8_t)lua_toboolean(L, 1));
  buf_put_text(&payload, sql.bytes, sql.length);
  buf_put_u32(&payload, (uint32_t)count);
  for (int i = 1; i <= count; i++) {
    lua_rawgeti(L, 4, i);
    struct text text = runtime_text(L, -1);
    buf_put_text(&payload, text.bytes, text.length);
    lua_pop(L, 1);
  }
  bool fits = payload.len <= runtime->max_output + FRAME_EXTRA / 2;
  if (fits) runtime_send(runtime, FRAME_QUERY, task->number, &payload);
  buf_free(&payload);
  if (!fits)
    return runtime_error(L, "the statement and its parameters are larger than %zu bytes (--max-output)",
                         runtime->max_output);
  sched_wait(task, cleanup, NULL);
  return lua_yield(L, 0);
}

struct answer {
  struct runtime *runtime;
  struct coroutine *task;
  struct cursor *payload;
};

/* [] -> [false, table of an error's fields] */
static void push_error(lua_State *L, struct text message, const char *kind) {
  lua_pushboolean(L, false);
  lua_createtable(L, 0, 8);
  lua_pushlstring(L, message.bytes ? message.bytes : "", message.length);
  lua_setfield(L, -2, "message");
  lua_pushstring(L, kind);
  lua_setfield(L, -2, "kind");
}

static bool is_about_connection(struct text sqlstate) {
  char code[6];
  snprintf(code, sizeof code, "%.*s", (int)sqlstate.length, sqlstate.bytes);
  return sqlstate_is_of_connection(code);
}

static void push_database_error(lua_State *L, struct cursor *payload) {
  static const char *const fields[] = {"sqlstate", "detail", "hint", "constraint", "table", "column", "schema"};
  push_error(L, cursor_text(payload), "database");
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    struct text text = cursor_text(payload);
    if (!text.bytes) continue;
    lua_pushlstring(L, text.bytes, text.length);
    lua_setfield(L, -2, fields[i]);
    if (i == 0 && is_about_connection(text)) {
      lua_pushliteral(L, "connection");
      lua_setfield(L, -2, "kind");
    }
  }
}

struct column {
  const char *name; /* "column NAME", kept by the names' table */
  uint32_t type;
};

/* The names as handlers see them. A name that comes twice would lose a value: false, and it is on top.
 * [] -> [names, labels] or [names, labels, name] */
static bool push_columns(lua_State *L, struct cursor *payload, struct column *columns, uint32_t count) {
  lua_createtable(L, (int)count, 0);
  lua_createtable(L, (int)count, 0);
  for (uint32_t i = 0; i < count; i++) {
    struct text name = cursor_text(payload);
    columns[i].type = cursor_u32(payload);
    lua_pushlstring(L, name.bytes ? name.bytes : "", name.length);
    lua_pushvalue(L, -1);
    lua_rawget(L, -3);
    bool twice = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (twice) return false;
    lua_pushvalue(L, -1);
    lua_rawseti(L, -4, (int)i + 1);  // names[i] = name
    lua_pushfstring(L, "column %s", lua_tostring(L, -1));
    columns[i].name = lua_tostring(L, -1);
    lua_rawset(L, -3);  // labels[name] = label
  }
  return true;
}

/* [..., names, labels] -> [..., names, labels, row] or [..., names, labels, row, message] */
static bool push_row(lua_State *L, const struct json *json, struct cursor *payload, const struct column *columns,
                     uint32_t count) {
  int names = lua_gettop(L) - 1;
  lua_createtable(L, 0, (int)count);
  for (uint32_t i = 0; i < count; i++) {
    struct text text = cursor_text(payload);
    if (!text.bytes) continue;
    lua_rawgeti(L, names, (int)i + 1);
    if (!pg_value_push(L, json, columns[i].type, text, columns[i].name)) return false;
    lua_rawset(L, -3);
  }
  return true;
}

/* The error that a result itself is. [...] -> [false, table] */
static void refuse_result(lua_State *L) {
  lua_pushvalue(L, -1);  // [..., message, message], so that the text stays
  struct text message = runtime_text(L, -1);
  push_error(L, message, "result");
}

/* [] -> [true, rows, n, names] or [..., false, table of an error's fields] */
static void push_rows(lua_State *L, struct runtime *runtime, struct cursor *payload) {
  double n = (double)cursor_i64(payload);
  uint32_t width = cursor_u32(payload);
  struct column *columns = lua_newuserdata(L, (width + 1) * sizeof *columns);
  if (!push_columns(L, payload, columns, width)) {  // [userdata, names, labels]
    lua_pushfstring(L, "two columns have the name \"%s\": rename one of them with AS", lua_tostring(L, -1));
    refuse_result(L);
    return;
  }
  uint32_t height = cursor_u32(payload);
  lua_createtable(L, (int)height, 0);
  int rows = lua_gettop(L);
  for (uint32_t i = 0; i < height; i++) {
    lua_pushvalue(L, rows - 2);
    lua_pushvalue(L, rows - 1);  // [userdata, names, labels, rows, names, labels]
    if (!push_row(L, &runtime->json, payload, columns, width)) {
      refuse_result(L);
      return;
    }
    lua_rawseti(L, rows, (int)i + 1);
    lua_settop(L, rows);
  }
  lua_pushboolean(L, true);
  lua_insert(L, rows);  // [userdata, names, labels, true, rows]
  lua_pushnumber(L, n);
  lua_pushvalue(L, rows - 2);
}

/* [] -> [answer's values, moved to the task's coroutine] */
static int deliver(lua_State *L) {
  struct answer *answer = lua_touserdata(L, 1);
  bool good = cursor_u8(answer->payload) == 1;
  luaL_checkstack(L, 20, "result");
  if (good)
    push_rows(L, answer->runtime, answer->payload);
  else
    push_database_error(L, answer->payload);
  int values = lua_isboolean(L, -2) ? 2 : 4;
  luaL_checkstack(answer->task->co, values, "result");
  lua_xmove(L, answer->task->co, values);
  return 0;
}

void query_reply(struct runtime *runtime, uint64_t number, struct cursor *payload) {
  struct coroutine *task = sched_find(runtime->sched, number);
  if (!task || task->cleanup != cleanup) return;
  struct answer answer = {.runtime = runtime, .task = task, .payload = payload};
  int before = lua_gettop(task->co);
  pulse_begin(runtime->pulse, number);
  int status = lua_cpcall(runtime->L, deliver, &answer);
  if (status != 0) {
    push_error(task->co, runtime_text(runtime->L, -1), "result");
    lua_pop(runtime->L, 1);
  }
  pulse_end(runtime->pulse);
  sched_wake(task, lua_gettop(task->co) - before);
}

void bind_query(lua_State *L, struct runtime *runtime) {
  runtime_require(L, "luaflow.pg");
  lua_getfield(L, -1, "bind");  // [host, pg, bind]
  lua_pushvalue(L, -3);
  lua_pushlightuserdata(L, runtime);
  lua_pushcclosure(L, entry, 1);
  lua_call(L, 2, 0);
  lua_pop(L, 1);
}
