/* From a host's name to a connection that is set up: resolve, connect, prepare. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "pg/pg_blame.h"
#include "pg/pg_inside.h"
#include "pg/pg_parameters.h"
#include "pg/pg_place.h"

enum { ATTEMPT_MS = 10000 };

static const struct pg_statement backend_statement = {
    .name = "",
    .sql =
        "select a.pid, extract(epoch from a.backend_start),"
        " pg_catalog.concat(extract(epoch from pg_catalog.pg_postmaster_start_time()), '/', a.datid)"
        " from pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid()) a",
};

static void on_set_up(void *owner, struct pg_unit *unit, const struct err *err) {
  struct pg *pg = owner;
  if (pg->state != PG_SETTING_UP) return; /* the connection broke, or is being closed */
  if (err) {
    pg_broke(pg, err);
    return;
  }
  const PGresult *backend = pg_unit_result(unit, (int)(pg->options.session_count + pg->options.statement_count) + 1);
  if (PQntuples(backend) == 1) {
    pg->backend.pid = atoi(PQgetvalue(backend, 0, 0));
    snprintf(pg->backend.started, sizeof pg->backend.started, "%s", PQgetvalue(backend, 0, 1));
    snprintf(pg->server, sizeof pg->server, "%s", PQgetvalue(backend, 0, 2));
  }
  pg->ready_at = uv_now(pg->loop);
  pg_set_state(pg, PG_READY);
  if (pg->queue) pg_kick(pg);
  pg->events.ready(pg->owner);
}

/* The connection is open: sends the set-up unit, ahead of all that is queued. */
static void set_up(struct pg *pg) {
  pg_set_state(pg, PG_SETTING_UP);
  snprintf(pg->role, sizeof pg->role, "%s", PQuser(pg->conn));
  pg_place_of(pg->conn, pg->place); /* of several hosts, the one that was reached */
  if (PQsetnonblocking(pg->conn, 1) != 0 || PQenterPipelineMode(pg->conn) != 1) {
    pg_broke_by_libpq(pg);
    return;
  }
  struct pg_unit *unit = pg_unit_new(on_set_up, pg);
  for (size_t i = 0; i < pg->options.session_count; i++) pg_unit_add_sql(unit, pg->options.session[i]);
  for (size_t i = 0; i < pg->options.statement_count; i++) pg_unit_add_prepare(unit, &pg->options.statements[i]);
  pg_unit_add_prepare(unit, &backend_statement);
  pg_unit_add(unit, &backend_statement);
  pg_add_sent(pg, unit);
  if (pg_unit_send(unit, pg->conn))
    pg_pump(pg, false);
  else
    pg_broke_by_libpq(pg);
}

static void start_connection(struct pg *pg);

/* The session could not begin, possibly for a library that the role names for its sessions: begins again without. */
static bool begin_without_libraries(struct pg *pg) {
  if (!pg_blame_is_of_library(PQerrorMessage(pg->conn))) return false;
  if (!pg_target_pin_libraries(pg->target, PQoptions(pg->conn))) return false;
  PQfinish(pg->conn);
  start_connection(pg);
  return true;
}

/* The socket may be another after each step, even under the same number, so the poll handle is closed before it. */
void pg_connect_step(struct pg *pg) {
  pg_stop_watching(pg);
  bool watched = false;
  switch (PQconnectPoll(pg->conn)) {
    case PGRES_POLLING_OK:
      set_up(pg);
      return;
    case PGRES_POLLING_READING:
      watched = pg_watch(pg, UV_READABLE);
      break;
    case PGRES_POLLING_WRITING:
      watched = pg_watch(pg, UV_WRITABLE);
      break;
    case PGRES_POLLING_FAILED:
      if (begin_without_libraries(pg)) return;
      break;
    case PGRES_POLLING_ACTIVE:
      break;
  }
  if (!watched) pg_broke_by_libpq(pg);
}

static void on_attempt_over(uv_timer_t *timer) {
  struct pg *pg = timer->data;
  struct err err;
  err_set(&err, ERR_RETRY, EXIT_DATABASE, "database: no connection within %d s", ATTEMPT_MS / 1000);
  pg_broke(pg, &err);
}

/* What functions raise as notices is for people at psql; libpq would print it to stderr. An error that comes so
 * belongs to no statement: the server says why it ends the connection. */
static void on_notice(void *owner, const PGresult *result) {
  struct pg *pg = owner;
  const char *severity = PQresultErrorField(result, PG_DIAG_SEVERITY_NONLOCALIZED);
  const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  if (!severity || !message || (strcmp(severity, "FATAL") != 0 && strcmp(severity, "PANIC") != 0)) return;
  utf8_fit(pg->last_words, sizeof pg->last_words, snprintf(pg->last_words, sizeof pg->last_words, "%s", message));
  snprintf(pg->last_state, sizeof pg->last_state, "%s", state ? state : "");
}

static void start_connection(struct pg *pg) {
  *pg->last_words = *pg->last_state = '\0';
  pg->conn = pg_target_connect(pg->target);
  if (pg->conn) {
    PQsetNoticeReceiver(pg->conn, on_notice, pg);
    PQsetErrorVerbosity(pg->conn,
                        PQERRORS_VERBOSE); /* for the SQLSTATE of a refusal, which libpq reports in no other way */
  }
  if (pg->conn && PQstatus(pg->conn) != CONNECTION_BAD) pg_place_of(pg->conn, pg->place);
  struct err refused;
  if (pg->conn && PQstatus(pg->conn) == CONNECTION_BAD && pg_parameters_refuse(pg->options.source, pg->conn, &refused))
    pg_broke(pg, &refused);
  else if (!pg->conn || PQstatus(pg->conn) == CONNECTION_BAD || !pg_watch(pg, UV_WRITABLE))
    pg_broke_by_libpq(pg);
}

static void on_resolved(void *owner, const struct err *err) {
  struct pg *pg = owner;
  if (pg->state != PG_RESOLVING) return; /* it took longer than the attempt */
  if (err) {
    pg_broke(pg, err);
    return;
  }
  pg_set_state(pg, PG_CONNECTING);
  start_connection(pg);
}

void pg_attempt(struct pg *pg) {
  pg_set_state(pg, PG_RESOLVING);
  uv_timer_start(&pg->timer, on_attempt_over, ATTEMPT_MS, 0);
  pg_target_resolve(pg->target, pg->loop, on_resolved, pg);
}
