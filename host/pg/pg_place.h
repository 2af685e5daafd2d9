/* Where a connection goes, for people: never with a password. */
#ifndef LUAFLOW_PG_PG_PLACE_H
#define LUAFLOW_PG_PG_PLACE_H

#include <libpq-fe.h>

enum { PG_PLACE = 512 };
/* "database app on db.example:5432, as role ann", of a connection that is open; returns place. */
const char *pg_place_of(const PGconn *conn, char place[PG_PLACE]);

#endif
