/* What is to be said, and whether it was. */
#include "worker/control/unrecorded.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"

struct unrecorded {
  struct pg *pg;
  const char *worker_id;
  int count;
  char *error;  /* owned; NULL while there are none */
  bool due;     /* the database has not been told of it */
  bool waiting; /* for an answer */
  bool freed;
};

static void free_when_done(struct unrecorded *unrecorded) {
  if (!unrecorded->freed || unrecorded->waiting) return;
  free(unrecorded->error);
  free(unrecorded);
}

/* What it was not told for an error is said with the next change, or over the next connection. */
static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct unrecorded *unrecorded = owner;
  bool changed = unrecorded->due;
  (void)unit;
  unrecorded->waiting = false;
  if (err) unrecorded->due = true;
  if (unrecorded->freed)
    free_when_done(unrecorded);
  else if (!err && changed)
    unrecorded_go_on(unrecorded);
}

void unrecorded_go_on(struct unrecorded *unrecorded) {
  if (!unrecorded->due || unrecorded->waiting || !pg_is_ready(unrecorded->pg)) return;
  struct pg_unit *unit = pg_unit_new(on_done, unrecorded);
  struct pg_params *params = pg_unit_add(unit, &control_statements[STMT_REPORT_UNRECORDED]);
  pg_param_text(params, unrecorded->worker_id);
  pg_param_int(params, unrecorded->count);
  pg_param_text(params, unrecorded->error);
  unrecorded->due = false;
  unrecorded->waiting = true;
  pg_submit(unrecorded->pg, unit);
}

void unrecorded_set(struct unrecorded *unrecorded, int count, const char *error) {
  bool same = unrecorded->error && error ? strcmp(unrecorded->error, error) == 0 : unrecorded->error == error;
  if (count != unrecorded->count || !same) {
    free(unrecorded->error);
    unrecorded->error = error ? xstrdup(error) : NULL;
    unrecorded->count = count;
    unrecorded->due = true;
  }
  unrecorded_go_on(unrecorded);
}

struct unrecorded *unrecorded_new(struct pg *pg, const char *worker_id) {
  struct unrecorded *unrecorded = xcalloc(1, sizeof *unrecorded);
  *unrecorded = (struct unrecorded){.pg = pg, .worker_id = worker_id};
  return unrecorded;
}

void unrecorded_free(struct unrecorded *unrecorded) {
  if (!unrecorded) return;
  unrecorded->freed = true;
  free_when_done(unrecorded);
}
