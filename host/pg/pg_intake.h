/* Bounds how much libpq reads from a socket in one go. By itself it reads on while the server keeps up, a message of any
 * size, before anybody can look how large the message is. */
#ifndef LUAFLOW_PG_PG_INTAKE_H
#define LUAFLOW_PG_PG_INTAKE_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stdint.h>

/* Like PQconsumeInput, with at most this many bytes of the socket; *taken: how many there were. What is left in the
 * socket makes it readable again. */
bool pg_intake(PGconn *conn, int64_t most, int64_t *taken);

#endif
