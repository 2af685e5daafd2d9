/* The answer of deploy_flows, read and put into words. */
#include "worker/control/deploy.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/control/statements.h"

/* The columns of the DEPLOY statement: the differences as JSON, as lines and as one line; live workers that lack steps,
 * as JSON, empty for none. */
enum { FLOW_SLUG, STATUS, ALIAS_STATUS, MESSAGE, DIFFERENCES, DIFFERENCE_LINES, DIFFERENCE_LINE, LACKING };

/* The columns of the PREVIEW statement. */
enum { PREVIEW_FLOW, PREVIEW_STATUS, PREVIEW_DIFFERENCES, PREVIEW_MESSAGE };

struct deployment {
  struct pg *pg;
  const char *worker_id;
  char *function, *queue, *registry; /* owned */
  char *registries;                  /* owned; those of all queues, as a JSON array */
  char *changed_files;               /* owned */
  int64_t read_from_ms, read_till_ms;
  int64_t generation;
  struct log *log;
  struct deploy_events events;
  void *owner;
};

static bool is_one_of(const char *text, const char *const *list) {
  for (; *list; list++)
    if (strcmp(text, *list) == 0) return true;
  return false;
}

static void put_refusal(struct buf *out, const PGresult *result, int row) {
  const char *lines = PQgetvalue(result, row, DIFFERENCE_LINES);
  buf_printf(out, "  %s: %s: %s\n", PQgetvalue(result, row, FLOW_SLUG), PQgetvalue(result, row, STATUS),
             PQgetvalue(result, row, MESSAGE));
  if (*lines) buf_printf(out, "    %s\n", lines);
}

static void log_refusal(struct log *log, const PGresult *result, int row) {
  LOG(log, LOG_ERROR, "deployment_refused", LOG_STR("flow", PQgetvalue(result, row, FLOW_SLUG)),
      LOG_STR("status", PQgetvalue(result, row, STATUS)), LOG_STR("message", PQgetvalue(result, row, MESSAGE)),
      LOG_JSON_TEXT("differences", PQgetvalue(result, row, DIFFERENCES)));
}

static bool is_held_back(const PGresult *result, int row) {
  return strcmp(PQgetvalue(result, row, STATUS), "held_back") == 0;
}

static void log_held_back(struct log *log, const PGresult *result, int row, struct buf *held_back) {
  const char *flow = PQgetvalue(result, row, FLOW_SLUG), *message = PQgetvalue(result, row, MESSAGE);
  LOG(log, LOG_WARN, "held_back", LOG_STR("flow", flow), LOG_STR("message", message),
      LOG_STR("hint", "once the files are complete: luaflow reload, SIGHUP, or a restart of the worker"));
  buf_printf(held_back, "%s%s: %s", held_back->len ? "; " : "", flow, message);
}

/* Before anything is deleted. The workers of a dev all find the same, so it is dev that logs it. */
static void log_preview(const struct deployment *deployment, const PGresult *result, int row) {
  const char *flow = PQgetvalue(result, row, PREVIEW_FLOW), *reason = PQgetvalue(result, row, PREVIEW_MESSAGE);
  const char *differences = PQgetvalue(result, row, PREVIEW_DIFFERENCES);
  bool recreated = strcmp(PQgetvalue(result, row, PREVIEW_STATUS), "recreated") == 0;
  const char *verb = recreated ? "recreating_flow" : "deleting_flow";
  struct buf told = {0};
  buf_printf(&told, "%s\n%s\n%s\n%s", verb, flow, reason, differences);
  if (!deployment->events.tell(deployment->owner, told.data))
    LOG(deployment->log, LOG_WARN, verb, LOG_STR("flow", flow), LOG_STR("reason", reason),
        LOG_JSON_TEXT("differences", differences));
  buf_free(&told);
}

/* People get lines below the error, programs get log lines too. */
static void tell_refusal(struct log *log, const PGresult *result, int row, struct buf *details) {
  put_refusal(details, result, row);
  if (log->format == LOG_JSON) log_refusal(log, result, row);
}

/* The differences of a flow that is verified: runtime options, which a stale replica may have set back. */
static void log_options(struct log *log, const char *lines) {
  for (const char *line = lines; *line; line += *line != '\0') {
    line += strspn(line, " ");
    char *change = xasprintf("%.*s", (int)strcspn(line, "\n"), line);
    LOG(log, LOG_WARN, "option_changed", LOG_STR("change", change));
    line += strlen(change);
    free(change);
  }
}

static void put_changes(struct buf *changes, const char *flow, const char *status, bool moved,
                        const char *differences) {
  bool verified = strcmp(status, "verified") == 0;
  buf_printf(changes, "%s", changes->len ? "; " : "");
  if (!verified) buf_printf(changes, "%s: %s%s", flow, status, *differences ? ": " : "");
  buf_printf(changes, "%s", differences);
  if (verified && moved) buf_printf(changes, "%s%s: the active version now", *differences ? ", " : "", flow);
}

/* Logs the outcome of a flow, at a reload only if it has changed, and appends it to the changes. */
static void log_flow(const struct deployment *deployment, const PGresult *result, int row, struct buf *changes) {
  const char *flow = PQgetvalue(result, row, FLOW_SLUG), *status = PQgetvalue(result, row, STATUS);
  const char *alias_status = PQgetvalue(result, row, ALIAS_STATUS), *message = PQgetvalue(result, row, MESSAGE);
  const char *differences = PQgetvalue(result, row, DIFFERENCE_LINE);
  bool kept = strcmp(alias_status, "kept") == 0; /* the alias stays at a version that this worker does not have */
  bool recreated = strcmp(status, "recreated") == 0, verified = strcmp(status, "verified") == 0;
  bool moved_back = strcmp(alias_status, "moved back") == 0; /* by a rollback, or by a replica with older files */
  bool moved = moved_back || strcmp(alias_status, "activated") == 0, same = verified && !moved && !*differences;
  const char *lacking = PQgetvalue(result, row, LACKING);
  enum log_level level = kept || moved_back || recreated || *lacking ? LOG_WARN
                         : same && deployment->events.again          ? LOG_DEBUG
                                                                     : LOG_INFO;
  LOG(deployment->log, level, "deployed_flow", LOG_STR("flow", flow), LOG_STR("status", status),
      LOG_STR("alias", alias_status), LOG_STR("message", *message ? message : NULL),
      LOG_JSON_TEXT("differences", *differences ? PQgetvalue(result, row, DIFFERENCES) : NULL),
      LOG_JSON_TEXT("lacking_workers", *lacking ? lacking : NULL));
  if (verified) log_options(deployment->log, PQgetvalue(result, row, DIFFERENCE_LINES));
  if (!same) put_changes(changes, flow, status, moved, differences);
}

/* Collects from the rows what is reported about each flow, and the outcome of all. A refused flow may also leave
 * steps uncovered: then the exit code is that of the refusal. */
static void judge(const struct deployment *deployment, const PGresult *result, struct deploy_answer *answer,
                  struct buf *details, struct buf *changes, struct buf *held_back) {
  static const char *const good[] = {"created", "verified", "recreated", "removed", "held_back",
                                     "retired", "restored", "deleted",   NULL};
  bool only_uncovered = true;
  for (int row = 0; row < PQntuples(result); row++)
    if (is_held_back(result, row)) log_held_back(deployment->log, result, row, held_back);
  for (int row = 0; row < PQntuples(result); row++) {
    const char *status = PQgetvalue(result, row, STATUS);
    if (strcmp(status, "fenced") == 0) {
      answer->outcome = DEPLOY_FENCED;
      err_set(&answer->err, ERR_CONFIG, EXIT_REFUSED, "%s: nothing was deployed", PQgetvalue(result, row, MESSAGE));
      return;
    }
    if (is_one_of(status, good)) continue;
    answer->outcome = DEPLOY_REFUSED;
    only_uncovered = only_uncovered && strcmp(status, "uncovered") == 0;
    tell_refusal(deployment->log, result, row, details);
  }
  if (answer->outcome == DEPLOY_REFUSED) {
    for (int row = 0; row < PQntuples(result); row++)
      if (is_held_back(result, row)) put_refusal(details, result, row);
    err_set(&answer->err, ERR_CONFIG, only_uncovered ? EXIT_UNCOVERED : EXIT_REFUSED,
            "deploy: refused, nothing was changed");
    return;
  }
  for (int row = 0; row < PQntuples(result); row++)
    if (!is_held_back(result, row)) log_flow(deployment, result, row, changes);
}

static void drop(struct deployment *deployment) {
  free(deployment->function);
  free(deployment->queue);
  free(deployment->registry);
  free(deployment->registries);
  free(deployment->changed_files);
  free(deployment);
}

static void finish(struct deployment *deployment, struct deploy_answer *answer) {
  answer->generation = deployment->generation;
  deployment->events.done(deployment->owner, answer);
  drop(deployment);
}

static void on_done(void *owner, struct pg_unit *unit, const struct err *err) {
  struct deployment *deployment = owner;
  struct deploy_answer answer = {.outcome = DEPLOY_DONE};
  struct buf details = {0}, changes = {0}, held_back = {0};
  if (err) {
    answer.outcome = DEPLOY_FAILED;
    answer.err = *err;
  } else {
    judge(deployment, pg_unit_result(unit, 0), &answer, &details, &changes, &held_back);
  }
  if (details.len > 0) details.data[details.len - 1] = '\0'; /* for the last newline */
  answer.details = details.len > 0 ? details.data : "";
  answer.changes = changes.len > 0 ? changes.data : "";
  answer.held_back = held_back.len > 0 ? held_back.data : "";
  finish(deployment, &answer);
  buf_free(&details);
  buf_free(&changes);
  buf_free(&held_back);
}

static void submit(struct deployment *deployment) {
  struct pg_unit *unit = pg_unit_new(on_done, deployment);
  pg_unit_allow(unit, deploy_extra_ms(deployment->registry));
  static const enum control_statement statements[] = {
      [DEPLOY_ALL] = STMT_DEPLOY, [DEPLOY_EXISTING] = STMT_DEPLOY_EXISTING, [DEPLOY_FILES] = STMT_DEPLOY_FILES};
  enum deploy_extent extent = deployment->events.extent;
  struct pg_params *params = pg_unit_add(unit, &control_statements[statements[extent]]);
  pg_param_text(params, deployment->worker_id);
  pg_param_text(params, deployment->function);
  pg_param_text(params, deployment->queue);
  pg_param_text(params, deployment->registry);
  pg_param_int(params, deployment->generation);
  if (extent == DEPLOY_FILES) {
    pg_param_text(params, deployment->registries);
    pg_param_text(params, deployment->changed_files);
    pg_param_int(params, deployment->read_from_ms);
    pg_param_int(params, deployment->read_till_ms);
  }
  pg_submit(deployment->pg, unit);
}

/* What is about to be deleted is logged before. */
static void on_preview(void *owner, struct pg_unit *unit, const struct err *err) {
  struct deployment *deployment = owner;
  if (err) {
    finish(deployment, &(struct deploy_answer){
                           .outcome = DEPLOY_FAILED, .err = *err, .details = "", .changes = "", .held_back = ""});
    return;
  }
  if (!deployment->events.wanted(deployment->owner)) {
    drop(deployment);
    return;
  }
  const PGresult *result = pg_unit_result(unit, 1);
  for (int row = 0; row < PQntuples(result); row++) {
    const char *status = PQgetvalue(result, row, PREVIEW_STATUS);
    if (strcmp(status, "recreated") == 0 || strcmp(status, "deleted") == 0) log_preview(deployment, result, row);
  }
  submit(deployment);
}

void deploy(struct pg *pg, const char *worker_id, const struct load_worker *worker, const struct load_report *report,
            int64_t generation, struct log *log, const struct deploy_events *events, void *owner) {
  struct deployment *deployment = xcalloc(1, sizeof *deployment);
  *deployment = (struct deployment){.pg = pg,
                                    .worker_id = worker_id,
                                    .function = xstrdup(worker->name),
                                    .queue = xstrdup(worker->queue),
                                    .registry = xstrdup(worker->registry),
                                    .registries = deploy_registries(report),
                                    .changed_files = xstrdup(events->changed_files),
                                    .read_from_ms = events->source->read_from_ms,
                                    .read_till_ms = events->source->read_till_ms,
                                    .generation = generation,
                                    .log = log,
                                    .events = *events,
                                    .owner = owner};
  struct pg_unit *unit = pg_unit_new(on_preview, deployment);
  deploy_ask_in(unit, &(struct deploy_question){.worker_id = worker_id,
                                                .worker = worker,
                                                .extent = events->extent,
                                                .registries = deployment->registries,
                                                .read_from_ms = deployment->read_from_ms});
  bool files = events->extent == DEPLOY_FILES;
  struct pg_params *params = pg_unit_add(unit, &control_statements[files ? STMT_PREVIEW_FILES : STMT_PREVIEW]);
  if (!files) pg_param_text(params, worker->queue);
  pg_param_text(params, files ? deployment->registries : worker->registry);
  pg_submit(pg, unit);
}
