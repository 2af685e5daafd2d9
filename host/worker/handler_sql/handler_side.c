/* Asks both sides for the installation's id, each time that it has connected. */
#include "worker/handler_sql/handler_side.h"

#include <stdlib.h>
#include <string.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "worker/control/complaint.h"
#include "worker/control/statements.h"
#include "worker/handler_sql/handler_home.h"

enum { DEADLINE_MS = 8000, LOOK_MS = 1000, IDLE_MS = 10000 };

struct handler_side {
  struct pg *pg;
  struct pg *home;
  struct leftovers *leftovers;
  struct handler_side_events events;
  void *owner;
  struct log *log;
  enum handler_reach reach;
  struct err err;
  struct complaint complaint;
  const char *source; /* what gave the conninfo */
  bool connected;     /* once */
  uv_timer_t look;    /* runs while it is connected: is it needed? */
  uint64_t needed_at;
};

struct question {
  struct handler_side *side;
  char id[40];
};

static void set_reach(struct handler_side *side, enum handler_reach reach) {
  side->reach = reach;
  side->events.checked(side->owner);
}

static void report_back(struct handler_side *side) {
  if (complaint_end(&side->complaint)) LOG(side->log, LOG_INFO, "handler_database_back");
}

static void log_not_reached(const struct handler_side *side, const struct err *err) {
  LOG(side->log, LOG_WARN, "handler_database_not_reached", LOG_STR("given_by", side->source), LOG_ERR(err));
}

/* Tries again until the server is home's. */
static void look_at_server(struct handler_side *side) {
  struct err err;
  if (!pg_is_ready(side->pg)) return; /* it asks again */
  if (handler_home_is_of(side->home, side->pg)) {
    report_back(side);
    set_reach(side, HANDLER_REACH_HOME);
    return;
  }
  handler_home_refuse(side->home, side->pg, side->source, &err);
  if (complaint_is_new(&side->complaint, &err)) log_not_reached(side, &err);
  pg_reconnect(side->pg, &err);
}

static void on_home_id(void *owner, struct pg_unit *unit, const struct err *err) {
  struct question *question = owner;
  struct handler_side *side = question->side;
  bool same = !err && strcmp(PQgetvalue(pg_unit_result(unit, 0), 0, 0), question->id) == 0;
  free(question);
  if (err) return; /* handler_side_look_home follows, or the worker ends */
  side->events.found(side->owner, same);
  if (same) {
    look_at_server(side);
    return;
  }
  report_back(side);
  err_set(&side->err, ERR_CONFIG, EXIT_REFUSED,
          "--handler-database leads to another installation: steps with transaction = true are refused");
  err_hint(&side->err, "such a step commits its writes and its completion together, so both must be in one database");
  set_reach(side, HANDLER_REACH_OTHER);
}

/* It may get the right: asks again with the next connection. */
static void wait_for_right(struct handler_side *side, const struct err *err) {
  struct err found = *err;
  complaint_add_rights_hint(&found, "pgflow_handler", pg_role(side->pg));
  if (complaint_is_new(&side->complaint, &found))
    LOG(side->log, LOG_WARN, "rights_missing", LOG_STR("connection", "handler"), LOG_STR("error", found.message),
        LOG_STR("hint", found.hint));
  pg_reconnect(side->pg, &found);
}

/* There is nothing that could be called. */
static void refuse(struct handler_side *side, const struct err *err) {
  err_set(&side->err, ERR_CONFIG, EXIT_REFUSED, "--handler-database cannot serve steps with transaction = true: %s",
          err->message);
  err_hint(&side->err, "such a step needs the schema pgflow of the worker's own database");
  set_reach(side, HANDLER_REACH_OTHER);
}

static void on_side_id(void *owner, struct pg_unit *unit, const struct err *err) {
  struct handler_side *side = owner;
  if (pg_is_closed(side->pg)) return;
  if (err && sqlstate_lacks_right(err->sqlstate))
    wait_for_right(side, err);
  else if (err && *err->sqlstate)
    refuse(side, err);
  if (err) return; /* or it asks again when it has connected again */
  struct question *question = xcalloc(1, sizeof *question);
  question->side = side;
  strncpy(question->id, PQgetvalue(pg_unit_result(unit, 0), 0, 0), sizeof question->id - 1);
  struct pg_unit *ask = pg_unit_new(on_home_id, question);
  pg_unit_add(ask, &control_statements[STMT_INSTALLATION]);
  pg_submit(side->home, ask);
}

static void ask(struct handler_side *side) {
  struct pg_unit *unit = pg_unit_new(on_side_id, side);
  pg_unit_add_sql(unit, control_statements[STMT_INSTALLATION].sql);
  pg_submit(side->pg, unit);
}

void handler_side_look_home(struct handler_side *side) {
  if (side->home && pg_is_ready(side->pg)) ask(side);
}

static bool is_needed(const struct handler_side *side) {
  bool known = !side->home || side->reach != HANDLER_REACH_UNKNOWN;
  return !known || !leftovers_are_settled(side->leftovers) || side->events.needed(side->owner);
}

static void on_look(uv_timer_t *timer) {
  struct handler_side *side = timer->data;
  uint64_t now = uv_now(timer->loop);
  if (is_needed(side))
    side->needed_at = now;
  else if (now - side->needed_at >= IDLE_MS && pg_rest(side->pg))
    uv_timer_stop(timer);
}

static void on_ready(void *owner) {
  struct handler_side *side = owner;
  side->connected = true;
  side->needed_at = uv_now(side->look.loop);
  uv_timer_start(&side->look, on_look, LOOK_MS, LOOK_MS);
  if (side->home)
    ask(side);
  else
    report_back(side);
}

static void log_away(const struct handler_side *side, const struct err *err, int retry_ms) {
  static const char waiting[] = "a worker whose steps have transaction = true deploys its flows once it is reached";
  if (side->connected) {
    LOG(side->log, LOG_WARN, "handler_database_lost", LOG_STR("given_by", side->source), LOG_ERR(err),
        LOG_INT("retry_ms", retry_ms));
    return;
  }
  struct err found = *err;
  if (*err->hint)
    err_hint(&found, "%s; %s", waiting, err->hint);
  else
    err_hint(&found, "%s", waiting);
  LOG(side->log, LOG_WARN, "handler_database_not_reached", LOG_STR("given_by", side->source), LOG_ERR(&found),
      LOG_INT("retry_ms", retry_ms));
}

static void on_lost(void *owner, const struct err *err, int retry_ms) {
  struct handler_side *side = owner;
  uv_timer_stop(&side->look);
  if (!side->home) return;
  if (err->kind == ERR_CONFIG && !side->connected)
    side->events.refused(side->owner, err);
  else if (complaint_is_new(&side->complaint, err))
    log_away(side, err, retry_ms);
}

struct handler_side *handler_side_new(uv_loop_t *loop, const char *conninfo, const char *source,
                                      const char *application_name, struct pg *home,
                                      const struct handler_side_events *events, void *owner, struct log *log,
                                      struct err *err) {
  static const struct pg_events pg_events = {.ready = on_ready, .lost = on_lost};
  const struct pg_options options = {
      .conninfo = conninfo,
      .source = source,
      .application_name = application_name,
      .session = control_settings,
      .session_count = SETTINGS_ELSEWHERE_COUNT,
      .statements = &control_statements[STMT_TERMINATE],
      .statement_count = STMT_CANCEL - STMT_TERMINATE + 1,
      .deadline_ms = DEADLINE_MS,
  };
  struct handler_side *side = xcalloc(1, sizeof *side);
  *side = (struct handler_side){.home = home, .source = source, .events = *events, .owner = owner, .log = log};
  side->pg = pg_new(loop, &options, &pg_events, side, err);
  if (!side->pg) {
    free(side);
    return NULL;
  }
  uv_timer_init(loop, &side->look);
  side->look.data = side;
  side->leftovers = leftovers_new(loop, side->pg, side->events.settled, owner, log);
  pg_start(side->pg);
  return side;
}

struct pg *handler_side_pg(const struct handler_side *side) {
  return side->pg;
}

struct leftovers *handler_side_leftovers(const struct handler_side *side) {
  return side->leftovers;
}

enum handler_reach handler_side_reach(const struct handler_side *side, struct err *err) {
  if (side->reach == HANDLER_REACH_OTHER) *err = side->err;
  return side->reach;
}

static void on_closed(uv_handle_t *handle) { free(handle->data); }

void handler_side_close(struct handler_side *side) {
  if (!side) return;
  leftovers_free(side->leftovers);
  pg_close(side->pg);
  uv_close((uv_handle_t *)&side->look, on_closed);
}
