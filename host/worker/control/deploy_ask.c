/* The statement and its answer. */
#include "worker/control/deploy_ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"

enum { EXTRA_MAX_MS = 300000 };

/* A flow has some 300 bytes in the registry, and may need a queue, whose tables a server that is busy creates in a
 * tenth of a second. */
int deploy_extra_ms(const char *registry) {
  size_t ms = strlen(registry) / 2;
  return ms < EXTRA_MAX_MS ? (int)ms : EXTRA_MAX_MS;
}

struct ask {
  void (*done)(void *owner, const struct err *err);
  void *owner;
};

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct ask *ask = owner;
  (void)unit;
  ask->done(ask->owner, err);
  free(ask);
}

void deploy_ask_in(struct pg_unit *unit, const struct deploy_question *question) {
  const struct load_worker *worker = question->worker;
  bool files = question->extent == DEPLOY_FILES;
  pg_unit_allow(unit, deploy_extra_ms(files ? question->registries : worker->registry));
  struct pg_params *params = pg_unit_add(unit, &control_statements[files ? STMT_AWAIT_FILES : STMT_AWAIT_DEPLOYMENT]);
  pg_param_text(params, question->worker_id);
  pg_param_text(params, worker->name);
  if (files) {
    pg_param_text(params, question->registries);
    pg_param_int(params, question->read_from_ms);
  } else {
    pg_param_text(params, worker->queue);
    pg_param_text(params, question->extent == DEPLOY_EXISTING ? "{\"flows\": []}" : worker->registry);
  }
}

char *deploy_registries(const struct load_report *report) {
  struct buf out = {0};
  for (size_t i = 0; i < report->worker_count; i++)
    buf_printf(&out, "%s%s", i > 0 ? "," : "[", report->workers[i].registry);
  buf_printf(&out, "]");
  return out.data;
}

void deploy_ask(struct pg *pg, const struct deploy_question *question, void (*done)(void *owner, const struct err *err),
                void *owner) {
  struct ask *ask = xcalloc(1, sizeof *ask);
  *ask = (struct ask){.done = done, .owner = owner};
  struct pg_unit *unit = pg_unit_new(on_done, ask);
  deploy_ask_in(unit, question);
  pg_submit(pg, unit);
}
