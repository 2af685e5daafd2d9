/* By what the servers say of themselves; by the conninfo for people. */
#include "worker/handler_sql/handler_home.h"

#include <string.h>

bool handler_home_is_of(const struct pg *home, const struct pg *pg) {
  return strcmp(pg_server(home), pg_server(pg)) == 0;
}

void handler_home_refuse(const struct pg *home, const struct pg *pg, const char *source, struct err *err) {
  err_set(err, ERR_RETRY, EXIT_DATABASE,
          "database: a connection for handlers reaches another server than the worker's own connection: %s, and not %s",
          pg_place(pg), pg_place(home));
  err_hint(err,
           "two servers answer, as when an old primary comes back after a failover: stop the one that is out of date, "
           "or leave it out of %s; statements of handlers wait until then",
           source);
}
