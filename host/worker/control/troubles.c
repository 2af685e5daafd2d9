/* What is to be reported about each trouble, and whether it was. */
#include "worker/control/troubles.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "pg/pg.h"
#include "worker/control/statements.h"

struct troubles {
  struct pg *pg; /* NULL before the start and after the stop */
  const char *worker_id;
  struct {
    int count;
    char *error; /* owned; NULL: no trouble */
    bool due;    /* the database does not know it */
  } states[TROUBLE_COUNT];
  enum trouble sent; /* the one whose report is under way */
  bool waiting;      /* for its answer */
};

static const char *const names[] = {
#define X(name, text) text,
    TROUBLES(X)
#undef X
};

/* After an error it waits to be called again, which heartbeats do. */
static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct troubles *troubles = owner;
  (void)unit;
  troubles->waiting = false;
  if (err)
    troubles->states[troubles->sent].due = true;
  else
    troubles_go_on(troubles);
}

static void report(struct troubles *troubles, enum trouble trouble) {
  struct pg_unit *unit = pg_unit_new(on_done, troubles);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_REPORT_TROUBLE]);
  pg_param_text(params, troubles->worker_id);
  pg_param_text(params, names[trouble]);
  pg_param_int(params, troubles->states[trouble].count);
  pg_param_text(params, troubles->states[trouble].error);
  troubles->states[trouble].due = false;
  troubles->sent = trouble;
  troubles->waiting = true;
  pg_submit(troubles->pg, unit);
}

void troubles_go_on(struct troubles *troubles) {
  if (troubles->waiting || !troubles->pg || !pg_is_ready(troubles->pg)) return;
  for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++) {
    if (!troubles->states[trouble].due) continue;
    report(troubles, trouble);
    return;
  }
}

void troubles_set(struct troubles *troubles, enum trouble trouble, int count, const char *error) {
  if (!troubles) return;
  char **known = &troubles->states[trouble].error;
  bool same = *known && error ? strcmp(*known, error) == 0 : !*known && !error;
  if (same && (!error || count == troubles->states[trouble].count)) return;
  char *copy = error ? xstrdup(error) : NULL;
  free(*known);
  *known = copy;
  troubles->states[trouble].count = error ? count : 0;
  troubles->states[trouble].due = true;
  troubles_go_on(troubles);
}

void troubles_start(struct troubles *troubles, struct pg *pg, const char *worker_id) {
  troubles->pg = pg;
  troubles->worker_id = worker_id;
  troubles_go_on(troubles);
}

void troubles_stop(struct troubles *troubles) { troubles->pg = NULL; }

struct troubles *troubles_new(void) {
  return xcalloc(1, sizeof(struct troubles));
}

void troubles_free(struct troubles *troubles) {
  for (int trouble = 0; trouble < TROUBLE_COUNT; trouble++) free(troubles->states[trouble].error);
  free(troubles);
}
