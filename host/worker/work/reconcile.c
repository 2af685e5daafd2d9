/* One statement with all that the worker knows. */
#include "worker/work/reconcile.h"

#include "worker/control/statements.h"
#include "worker/control/task_arrays.h"

/* The columns of the RECONCILE statement. */
enum { RUN_ID, STEP_SLUG, TASK_INDEX };

static void add_task(void *arrays, const struct task *task) { task_arrays_add(arrays, task); }

void reconcile_add(struct pg_unit *unit, const char *worker_id, reconcile_each in_flight, void *owner,
                   const struct batcher *batcher) {
  struct pg_params *params = pg_unit_add(unit, &work_statements[STMT_RECONCILE]);
  pg_param_text(params, worker_id);
  struct task_arrays known = task_arrays_begin(params);
  in_flight(owner, add_task, &known);
  batcher_each(batcher, add_task, &known);
}

void reconcile_log(const struct pg_unit *unit, struct log *log) {
  const PGresult *result = pg_unit_result(unit, 0);
  int count = PQntuples(result);
  for (int row = 0; row < count; row++)
    LOG(log, LOG_DEBUG, "put_back_task", LOG_STR("run", PQgetvalue(result, row, RUN_ID)),
        LOG_STR("step", PQgetvalue(result, row, STEP_SLUG)), LOG_STR("index", PQgetvalue(result, row, TASK_INDEX)));
  LOG(log, count ? LOG_WARN : LOG_DEBUG, "reconciled", LOG_INT("put_back", count));
}
