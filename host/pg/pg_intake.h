/* Bounds how much libpq reads from a socket at once. It reads on for as long as the server sends, however large the
 * message is, so that nobody can look at it in between. */
#ifndef LUAFLOW_PG_PG_INTAKE_H
#define LUAFLOW_PG_PG_INTAKE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/* Like PQconsumeInput, with at most this many bytes of the socket; *taken: how many there were. What is left in the
 * socket makes it readable again. */
bool pg_intake(PGconn *conn, int64_t most, int64_t *taken);

#endif
