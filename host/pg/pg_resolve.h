/* A conninfo whose host names are looked up without blocking the loop: libpq's own look-up blocks. */
#ifndef LUAFLOW_PG_PG_RESOLVE_H
#define LUAFLOW_PG_PG_RESOLVE_H

#include <libpq-fe.h>
#include <uv.h>

#include "base/err.h"

struct pg_target;

/* Reads a conninfo string or URI; source names it in errors. NULL with *err (a usage error) if it cannot be read. */
struct pg_target *pg_target_new(const char *source, const char *conninfo, const char *application_name,
                                struct err *err);
/* Looks all host names up again, then calls done once, possibly before this returns; a second call before that
 * replaces done. *err is NULL unless no address of any host was found. A `service` that names the host is left to
 * libpq. */
void pg_target_resolve(struct pg_target *target, uv_loop_t *loop, void (*done)(void *owner, const struct err *err),
                       void *owner);
/* From the next connection on, libraries that the role names for its sessions are not loaded; in_use: the connection's
 * options until now. False: that is so already. */
bool pg_target_pin_libraries(struct pg_target *target, const char *in_use);
/* Begins a connection to the addresses found; NULL only when out of memory. */
PGconn *pg_target_connect(const struct pg_target *target);
/* done is not called any more. */
void pg_target_free(struct pg_target *target);

#endif
