/* host.http(request): the task waits for a transfer of libcurl. One hop; what goes around it is lua/luaflow/http.lua.
 * request: method, url, headers (name, value, name, value, ...), body?, timeout? (seconds), ca_file? Returns {
 * status, headers (as above), body, retry_after?, redirect?, same_origin } or nil, kind, reason, url without
 * credentials. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "executor/bind/bindings.h"
#include "executor/bind/http_client.h"
#include "executor/bind/http_transfer.h"

/* A userdata of the task's coroutine. */
struct call {
  struct http_transfer *transfer; /* owned; NULL until created */
  struct http_request request;
  struct coroutine *task;
  struct runtime *runtime;
  CURLcode code;
};

static int free_call(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  if (call->transfer) http_transfer_free(call->transfer);
  call->transfer = NULL;
  return 0;
}

static void cleanup(void *waiting) {
  struct call *call = waiting;
  http_client_remove(call->runtime->http, &call->request);
}

static void done(void *owner, CURLcode code) {
  struct call *call = owner;
  call->code = code;
  sched_wake(call->task, 0);
  uv_stop(&call->runtime->loop); /* it came from a timer: the turn would go on to wait for sockets */
}

/* [] -> [nil, kind, reason, url or nil] */
static int push_failure(lua_State *L, const struct call *call, const char *kind, const char *reason) {
  lua_pushnil(L);
  lua_pushstring(L, kind);
  if (reason)
    lua_pushstring(L, reason);
  else
    lua_pushfstring(L, "the body is larger than %f bytes (--max-output)", (double)call->transfer->body_limit);
  char *url = http_transfer_public_url(call->transfer);
  lua_pushstring(L, url);
  curl_free(url);
  return 4;
}

static void add_headers(lua_State *L, struct http_transfer *transfer) {
  lua_getfield(L, 1, "headers");
  int count = lua_istable(L, -1) ? (int)lua_objlen(L, -1) : 0;
  for (int i = 1; i < count; i += 2) {
    lua_rawgeti(L, -1, i);
    lua_rawgeti(L, -2, i + 1);
    http_transfer_add_header(transfer, luaL_checkstring(L, -2), luaL_checkstring(L, -1));
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
}

static void set_options(lua_State *L, struct http_transfer *transfer) {
  lua_getfield(L, 1, "method");
  lua_getfield(L, 1, "body");
  lua_getfield(L, 1, "timeout");
  lua_getfield(L, 1, "ca_file");
  struct text body = runtime_text(L, -3);
  http_transfer_set_method(transfer, luaL_checkstring(L, -4), body.bytes, body.length);
  if (lua_isnumber(L, -2)) http_transfer_set_timeout(transfer, lua_tonumber(L, -2));
  if (lua_isstring(L, -1)) http_transfer_set_authorities(transfer, lua_tostring(L, -1));
  lua_pop(L, 4);
  add_headers(L, transfer);
  http_transfer_prepare(transfer);
}

/* check(request) -> call, or what the wrapper returns */
static int check(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  const char *why = NULL;
  struct coroutine *task = sched_check_wait(runtime->sched, L, "http.request");
  if (!runtime->http) runtime->http = http_client_new(&runtime->loop, done, &why);
  if (!runtime->http) return runtime_error(L, "http.request: %s", why);
  lua_settop(L, 1);
  lua_getfield(L, 1, "url");
  const char *url = luaL_checkstring(L, 2);
  struct call *call = lua_newuserdata(L, sizeof *call);
  *call = (struct call){.task = task, .runtime = runtime};
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  call->transfer = http_transfer_new(runtime->max_output);
  if (!http_transfer_set_url(call->transfer, url, &why)) return push_failure(L, call, "invalid", why);
  set_options(L, call->transfer);
  call->request = (struct http_request){.easy = call->transfer->easy, .owner = call};
  return 1;
}

/* start(call) waits. */
static int start(lua_State *L) {
  struct call *call = lua_touserdata(L, 1);
  http_client_add(call->runtime->http, &call->request);
  sched_wait(call->task, cleanup, call);
  return lua_yield(L, 0);
}

/* [] -> [list of names and values] */
static void push_headers(lua_State *L, const struct http_transfer *transfer) {
  struct curl_header *header = NULL;
  lua_newtable(L);
  int count = 0;
  while ((header = curl_easy_nextheader(transfer->easy, CURLH_HEADER, -1, header))) {
    const char *name = header->name, *value = header->value;
    if (http_transfer_is_of_encoding(transfer, name)) continue;
    lua_pushstring(L, name);
    lua_rawseti(L, -2, ++count);
    lua_pushstring(L, value);
    lua_rawseti(L, -2, ++count);
  }
}

/* [] -> [answer], or a failure */
static int push_answer(lua_State *L, const struct call *call) {
  struct http_transfer *transfer = call->transfer;
  const char *why;
  double retry_after;
  long status = 0;
  curl_easy_getinfo(transfer->easy, CURLINFO_RESPONSE_CODE, &status);
  struct http_redirect redirect = http_transfer_redirect(transfer, status, &why);
  lua_createtable(L, 0, 8);
  lua_pushstring(L, redirect.url);
  lua_setfield(L, -2, "redirect");
  curl_free(redirect.url);
  lua_pushboolean(L, redirect.same_origin);
  lua_setfield(L, -2, "same_origin");
  lua_pushstring(L, why);
  lua_setfield(L, -2, "bad_redirect");
  lua_pushnumber(L, (double)status);
  lua_setfield(L, -2, "status");
  if (http_transfer_retry_after(transfer, &retry_after)) {
    lua_pushnumber(L, retry_after);
    lua_setfield(L, -2, "retry_after");
  }
  push_headers(L, transfer);
  lua_setfield(L, -2, "headers");
  lua_pushlstring(L, transfer->body.data ? transfer->body.data : "", transfer->body.len);
  lua_setfield(L, -2, "body");
  char *url = http_transfer_public_url(transfer);
  lua_pushstring(L, url);
  lua_setfield(L, -2, "url");
  curl_free(url);
  return 1;
}

/* take(call) -> what the wrapper returns */
static int take(lua_State *L) {
  const struct call *call = lua_touserdata(L, 1);
  int results = call->code == CURLE_OK ? push_answer(L, call)
                                       : push_failure(L, call, http_transfer_kind(call->transfer, call->code),
                                                      http_transfer_reason(call->transfer, call->code));
  free_call(L);
  return results;
}

static const char wrapper[] =
    "local check, start, take = ...\n"
    "return function(request)\n"
    "  local call, kind, reason, url = check(request)\n"
    "  if not call then return nil, kind, reason, url end\n"
    "  start(call)\n"
    "  return take(call)\n"
    "end\n";

void bind_http(lua_State *L, struct runtime *runtime) {
  if (luaL_loadbuffer(L, wrapper, sizeof wrapper - 1, "@luaflow/http_wrapper.lua") != 0) lua_error(L);
  lua_pushlightuserdata(L, runtime);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, free_call);
  lua_setfield(L, -2, "__gc");
  lua_pushcclosure(L, check, 2);
  lua_pushcfunction(L, start);
  lua_pushcfunction(L, take);
  lua_call(L, 3, 1);
  lua_setfield(L, -2, "http");
}
