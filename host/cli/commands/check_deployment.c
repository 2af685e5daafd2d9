/* Asks a database what a deployment of checked flows would do there now, and puts the answer into words. */
#include "cli/commands/check_deployment.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/view/document.h"

/* The columns of the PREVIEW statement: a row for each flow. */
enum { FLOW_SLUG, STATUS, ALIAS_STATUS, MESSAGE, DIFFERENCES, IS_FENCED, FLOWS_JSON };

bool previews_read(struct previews *previews, const struct settings *settings, const struct load_report *report,
                   struct err *err) {
  struct db db;
  if (!client_connect_to_schema(settings, "check", ROLE_READER, &db, err)) return false;
  *previews = (struct previews){.report = report, .results = xcalloc(report->worker_count, sizeof *previews->results)};
  bool ok = true;
  for (size_t i = 0; ok && i < report->worker_count; i++) {
    const struct load_worker *worker = &report->workers[i];
    const char *parameters[] = {worker->queue, worker->registry, worker->name};
    ok = db_run(&db, DB_PREVIEW, parameters, &previews->results[i], err);
    if (!ok) previews->results[i] = NULL;
  }
  db_close(&db);
  if (!ok) previews_free(previews);
  return ok;
}

static bool is_refused(const PGresult *result, int row) {
  const char *status = db_text(result, row, STATUS);
  return strcmp(status, "created") != 0 && strcmp(status, "verified") != 0 && strcmp(status, "recreated") != 0;
}

static void put_flow(const PGresult *result, int row, struct buf *out) {
  const char *message = db_text(result, row, MESSAGE), *differences = db_text(result, row, DIFFERENCES);
  buf_printf(out, "  %s: %s", db_text(result, row, FLOW_SLUG), db_text(result, row, STATUS));
  if (!is_refused(result, row)) buf_printf(out, ", %s", db_text(result, row, ALIAS_STATUS));
  buf_printf(out, "%s%s\n", message ? ": " : "", message ? message : "");
  if (*differences) buf_printf(out, "    %s\n", differences);
}

void previews_put_lines(const struct previews *previews, struct buf *out) {
  for (size_t i = 0; i < previews->report->worker_count; i++) {
    const struct load_worker *worker = &previews->report->workers[i];
    const PGresult *result = previews->results[i];
    bool refused = false;
    for (int row = 0; row < PQntuples(result); row++) refused = refused || is_refused(result, row);
    buf_printf(out, "queue %s: %s", worker->queue, refused ? "the deployment would be refused" : "ok");
    if (PQntuples(result) > 0 && db_bool(result, 0, IS_FENCED))
      buf_printf(out, " (worker function %s is disabled: its workers wait)", worker->name);
    buf_printf(out, "\n");
    for (int row = 0; row < PQntuples(result); row++) put_flow(result, row, out);
  }
}

void previews_put_json(const struct previews *previews, yajl_gen out) {
  yajl_gen_array_open(out);
  for (size_t i = 0; i < previews->report->worker_count; i++) {
    const PGresult *result = previews->results[i];
    yajl_gen_map_open(out);
    document_member(out, "queue", previews->report->workers[i].queue);
    document_member(out, "name", previews->report->workers[i].name);
    document_text(out, "fenced");
    yajl_gen_bool(out, PQntuples(result) > 0 && db_bool(result, 0, IS_FENCED));
    document_text(out, "flows");
    yajl_gen_array_open(out);
    for (int row = 0; row < PQntuples(result); row++) document_json(out, db_text(result, row, FLOWS_JSON));
    yajl_gen_array_close(out);
    yajl_gen_map_close(out);
  }
  yajl_gen_array_close(out);
}

bool previews_accepted(const struct previews *previews, struct err *err) {
  bool refused = false, only_uncovered = true;
  for (size_t i = 0; i < previews->report->worker_count; i++)
    for (int row = 0; row < PQntuples(previews->results[i]); row++) {
      if (!is_refused(previews->results[i], row)) continue;
      refused = true;
      only_uncovered = only_uncovered && strcmp(db_text(previews->results[i], row, STATUS), "uncovered") == 0;
    }
  if (!refused) return true;
  err_set(err, ERR_CONFIG, only_uncovered ? EXIT_UNCOVERED : EXIT_REFUSED, "check: the deployment would be refused");
  return false;
}

void previews_free(struct previews *previews) {
  if (!previews->results) return;
  for (size_t i = 0; i < previews->report->worker_count; i++) PQclear(previews->results[i]);
  free(previews->results);
}
