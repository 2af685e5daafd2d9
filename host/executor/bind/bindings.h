/* The functions of the injected host table. Each bind_ adds its own to the table on top of the stack and leaves it
 * there; all raise, so call them protected. The functions have the runtime as their first upvalue. */
#ifndef LUAFLOW_EXECUTOR_BIND_BINDINGS_H
#define LUAFLOW_EXECUTOR_BIND_BINDINGS_H

#include "executor/runtime.h"

void bind_plain(lua_State *L,
                struct runtime *runtime); /* now, task, log, stopping, cancelled, encode, decode, development, env */
void bind_sleep(lua_State *L, struct runtime *runtime);      /* sleep */
void bind_flow_input(lua_State *L, struct runtime *runtime); /* flow_input */
void bind_http(lua_State *L, struct runtime *runtime);       /* http */
void bind_exec(lua_State *L, struct runtime *runtime);       /* exec */
void bind_query(lua_State *L, struct runtime *runtime);      /* query, tx_query */

/* The host has answered what flow_input of a task asks for: one of the two is not null. Unknown tasks are ignored. */
void flow_input_reply(struct runtime *runtime, uint64_t task, struct text input, struct text error);

/* The host has answered a statement of a task with QUERY_REPLY. Unknown tasks are ignored. */
void query_reply(struct runtime *runtime, uint64_t task, struct cursor *payload);

#endif
