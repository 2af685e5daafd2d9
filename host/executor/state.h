/* Making the Lua state of an executor. */
#ifndef LUAFLOW_EXECUTOR_STATE_H
#define LUAFLOW_EXECUTOR_STATE_H

#include "base/err.h"
#include "executor/runtime.h"

/* Makes runtime->L with the standard libraries, luaflow's own modules and, in a worker, those of the root; the injected
 * host table, the codec and the scheduler. mode, development, max_output, root and modules are set before. */
bool state_open(struct runtime *runtime, struct err *err) __attribute__((warn_unused_result));

/* Ends the process of a script, as os.exit does, after the host received the code. */
void state_exit(struct runtime *runtime, int code, bool close) __attribute__((noreturn));

/* Closes the state where its memory would else be reported as leaked; elsewhere it is left to the kernel, since a
 * finalizer of the user's could take for ever. */
void state_leave(struct runtime *runtime);

/* Runs function(L) with data as light userdata in its one argument. On an error fills err with its text. */
bool state_protect(lua_State *L, lua_CFunction function, void *data, struct err *err)
    __attribute__((warn_unused_result));

/* The parts of a state; all raise, so call them protected. */
void searchers_install(lua_State *L, struct runtime *runtime); /* package.loaders */
void replace_print(lua_State *L, struct runtime *runtime);     /* what print writes is a log line */
void guard_globals(lua_State *L, struct runtime *runtime); /* from now on only handlers run: they set no new globals */
void replace_exit(lua_State *L, struct runtime *runtime);  /* os.exit ends a script and raises in a worker */
void copy_globals(lua_State *L);          /* handlers' changes to the globals do not reach the copies */
void push_original_globals(lua_State *L); /* what handlers find of globals that they removed */
void push_own_globals(lua_State *L); /* the environment of luaflow's own modules: the globals if there is no copy */
void push_own_string(lua_State *L);  /* a new copy of the string library of that environment */
void replace_debug(lua_State *L);    /* its functions respect the protected metatable of strings */
void push_copy(lua_State *L);        /* [table] -> [table, a shallow copy] */
void split_modules(lua_State *L); /* after copy_globals, before any module: what others get of luaflow's is guarded */
void push_module_loader(lua_State *L); /* [chunk of a module of luaflow] -> [its loader] */
void guard_module(lua_State *L,
                  const char *name); /* [module] -> [what others are given], itself unless they are split */
void guard_strings(lua_State *L);    /* from now on only handlers run: they do not reach the metatable of strings */

#endif
