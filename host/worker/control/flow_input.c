/* One statement for one handler. */
#include "worker/control/flow_input.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"

enum { TRIES = 5 /* over as many connections; the handler's deadline is usually shorter */ };

struct fetch {
  struct pg *pg;
  struct pool *pool;
  uint64_t number;
  int tries;
  int64_t max_input;
  char run_id[RUN_ID_LENGTH + 1];
};

static void submit(struct fetch *fetch);

static void refuse(const struct fetch *fetch, const char *bytes) {
  char *message = xasprintf("the run's input has %s bytes as JSON text; --max-input allows %lld", bytes,
                            (long long)fetch->max_input);
  pool_reply_input(fetch->pool, fetch->number, NULL, message);
  free(message);
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct fetch *fetch = owner;
  if (err && !*err->sqlstate && !pg_is_closed(fetch->pg) && ++fetch->tries < TRIES) {
    submit(fetch);
    return;
  }
  const PGresult *result = err ? NULL : pg_unit_result(unit, 0);
  if (err)
    pool_reply_input(fetch->pool, fetch->number, NULL, err->message);
  else if (PQgetisnull(result, 0, 1))
    pool_reply_input(fetch->pool, fetch->number, NULL, "the run does not exist any more");
  else if (PQgetisnull(result, 0, 0))
    refuse(fetch, PQgetvalue(result, 0, 1));
  else
    pool_reply_input(fetch->pool, fetch->number, PQgetvalue(result, 0, 0), NULL);
  free(fetch);
}

static void submit(struct fetch *fetch) {
  struct pg_unit *unit = pg_unit_new(on_done, fetch);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_INPUT]);
  pg_param_text(params, fetch->run_id);
  pg_param_int(params, fetch->max_input);
  pg_submit(fetch->pg, unit);
}

void flow_input_fetch(struct pg *pg, struct pool *pool, const struct task *task, int64_t max_input) {
  struct fetch *fetch = xcalloc(1, sizeof *fetch);
  *fetch = (struct fetch){.pg = pg, .pool = pool, .number = task->number, .max_input = max_input};
  memcpy(fetch->run_id, task->run_id, sizeof fetch->run_id);
  submit(fetch);
}
