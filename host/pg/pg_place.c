/* By what libpq has chosen of the conninfo, the environment and its own defaults. */
#include "pg/pg_place.h"

#include <stdio.h>

#include "base/utf8.h"

const char *pg_place_of(const PGconn *conn, char place[PG_PLACE]) {
  const char *host = PQhost(conn);
  int length = snprintf(place, PG_PLACE, "database %s on %s%s:%s, as role %s", PQdb(conn),
                        *host == '/' ? "socket " : "", host, PQport(conn), PQuser(conn));
  utf8_fit(place, PG_PLACE, length);
  return place;
}
