/* luaflow rollout: fences the workers of a version that spans several queues. Its record is in the database, so the
 * command that waits here can be killed at any moment: begin with the same names continues. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/reconnect.h"
#include "cli/view/line.h"
#include "cli/view/outcome.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

enum { POLL_MS = 500, MOST_NAMES = 10000 };

static const struct verb verbs[] = {
    {"begin", "NAME... [--new NAME]...", 1, MOST_NAMES}, {"status", "", 0, 0}, {"finish", "", 0, 0}};
enum verb_index { BEGIN, STATUS, FINISH, VERB_COUNT };

/* The columns of the ROLLOUT statement. */
enum { FUNCTION, QUEUE_NAMES, WAS_ENABLED, ENABLED, LIVE_WORKERS, IN_FLIGHT, OPEN_FOR, WAITING, REFUSALS };

static long long live_workers(const PGresult *result) {
  long long live = 0;
  for (int row = 0; row < PQntuples(result); row++) live += db_number(result, row, LIVE_WORKERS);
  return live;
}

/* ---- status ---- */

static void print_functions(const PGresult *result) {
  static const struct table_column columns[] = {
      {"FUNCTION", 0, 8, false},  {"BEFORE", 2, 0, false},  {"NOW", 0, 0, false},   {"WORKERS", 0, 0, false},
      {"IN FLIGHT", 1, 0, false}, {"WAITING", 0, 0, false}, {"QUEUES", 0, 0, true},
  };
  struct table table = table_begin(columns, 7);
  for (int row = 0; row < PQntuples(result); row++) {
    bool enabled = db_bool(result, row, ENABLED);
    bool lives = db_number(result, row, LIVE_WORKERS) > 0;
    table_put(&table, TONE_PLAIN, db_text(result, row, FUNCTION));
    table_put(&table, TONE_FAINT, db_bool(result, row, WAS_ENABLED) ? "enabled" : "disabled");
    table_put(&table, enabled ? TONE_BUSY : TONE_GOOD, enabled ? "enabled" : "disabled");
    table_put(&table, lives ? TONE_BUSY : TONE_GOOD, db_text(result, row, LIVE_WORKERS));
    table_put(&table, TONE_PLAIN, db_text(result, row, IN_FLIGHT));
    table_put(&table, TONE_PLAIN, db_text(result, row, WAITING));
    table_put(&table, TONE_FAINT, db_text(result, row, QUEUE_NAMES));
  }
  table_print(&table, "no function");
}

/* The workers that wait and whose deployment would be refused now; how many functions have some. */
static int print_refusals(FILE *out, const PGresult *result) {
  int refused = 0;
  for (int row = 0; row < PQntuples(result); row++) {
    const char *refusals = db_text(result, row, REFUSALS);
    if (!refusals) continue;
    refused++;
    say(out, "would be refused, of function %s:\n", db_text(result, row, FUNCTION));
    for (const char *line = refusals; *line; line += strcspn(line, "\n"), line += *line != '\0')
      say(out, "  worker %.*s\n", (int)strcspn(line, "\n"), line);
  }
  return refused;
}

static void print_next(void) {
  say(stdout,
      "drained: no worker of these functions runs any more. Now start their workers with the new and the old versions\n"
      "(they wait), then run: luaflow rollout finish\n");
}

/* Only a change of the table by hand can do this: commands and functions refuse it. */
static bool print_unfenced(const PGresult *result) {
  bool any = false;
  for (int row = 0; row < PQntuples(result); row++) {
    if (!db_bool(result, row, ENABLED)) continue;
    any = true;
    say(stdout, "not fenced: %s was enabled during the rollout, and its workers run\n", db_text(result, row, FUNCTION));
  }
  if (any)
    say(stdout,
        "run luaflow rollout begin with the same names again: it disables the function and stops its workers\n");
  return any;
}

static void print_status(const PGresult *result) {
  if (PQntuples(result) == 0) {
    say(stdout, "no rollout is open; luaflow rollout begin NAME... opens one\n");
    return;
  }
  char age[32];
  long long live = live_workers(result);
  format_duration(age, sizeof age, db_number(result, 0, OPEN_FOR));
  say(stdout, "a rollout has been open for %s\n", age);
  print_functions(result);
  print_refusals(stdout, result);
  if (print_unfenced(result)) return;
  if (live > 0)
    say(stdout, "draining: %lld worker%s must still stop; luaflow workers shows them\n", live, live == 1 ? "" : "s");
  else
    print_next();
}

/* ---- begin ---- */

/* The name may be right, and its queue new. */
static bool explain_unknown(struct err *err) {
  if (err->kind != ERR_CONFIG) return false;
  char *hint = xstrdup(err->hint);
  err_hint(err, "%s (if the new version adds it: --new NAME)", hint);
  free(hint);
  return false;
}

static void print_begun(const PGresult *result) {
  for (int row = 0; row < PQntuples(result); row++) {
    bool was_enabled = db_bool(result, row, 1), is_new = db_bool(result, row, 2);
    say(stdout, "%s is disabled; it %s\n", db_text(result, row, 0),
        !was_enabled ? "was disabled before"
        : is_new     ? "will be enabled at the end"
                     : "was enabled before");
  }
  fflush(stdout);
}

static bool begin(struct db *db, const char *const *names, int count, const struct setting_list *new_names, bool quiet,
                  struct err *err) {
  if (!show_check_names(db, DB_FUNCTION_NAMES, "worker function", "functions", names, count, err))
    return explain_unknown(err);
  char *known = show_array(names, count), *added = show_array(new_names->items, new_names->count);
  const char *parameters[] = {known, added};
  PGresult *result;
  bool ok = db_run(db, DB_BEGIN_ROLLOUT, parameters, &result, err);
  free(known);
  free(added);
  if (!ok) {
    if (sqlstate_is_of_state(err->sqlstate) && !*err->hint) err_hint(err, "luaflow rollout status shows what is open");
    return false;
  }
  if (!quiet) print_begun(result);
  PQclear(result);
  return true;
}

/* What still runs, in one line. */
static void put_waiting(struct buf *out, const struct style *style, const PGresult *result) {
  struct line line = {.out = out, .style = style};
  line_put(&line, TONE_PLAIN, "waiting for");
  const char *between = " ";
  for (int row = 0; row < PQntuples(result); row++) {
    long long live = db_number(result, row, LIVE_WORKERS), tasks = db_number(result, row, IN_FLIGHT);
    if (live == 0) continue;
    line_printf(&line, TONE_PLAIN, "%s%s: ", between, db_text(result, row, FUNCTION));
    line_printf(&line, TONE_BUSY, "%lld worker%s, %lld task%s", live, live == 1 ? "" : "s", tasks,
                tasks == 1 ? "" : "s");
    between = "; ";
  }
}

/* On a terminal one line that changes, else a line for each change. *shown is what stands there. */
static void show_waiting(const PGresult *result, struct buf *shown) {
  struct style style = style_of(STDERR_FILENO);
  struct buf out = {0};
  put_waiting(&out, &style, result);
  if (out.len != shown->len || memcmp(out.data, shown->data, out.len) != 0) {
    struct buf drawn = {0};
    buf_printf(&drawn, style.terminal ? "\r%.*s\x1b[K" : "%.*s\n", (int)out.len, out.data);
    say_drawn(stderr, &drawn);
    fflush(stderr);
    buf_free(&drawn);
  }
  buf_free(shown);
  *shown = out;
}

enum wait_end { WAIT_DRAINED, WAIT_INTERRUPTED, WAIT_FAILED };

static enum wait_end poll_until_drained(struct db *db, const struct signals *signals, struct buf *shown,
                                        struct err *err) {
  for (;;) {
    PGresult *result;
    bool interrupted = false;
    while (!db_run(db, DB_ROLLOUT, NULL, &result, err)) {
      if (db->interrupted) return WAIT_INTERRUPTED;
      if (!reconnect(db, signals, &interrupted, err)) return interrupted ? WAIT_INTERRUPTED : WAIT_FAILED;
    }
    bool drained = live_workers(result) == 0;
    bool open = PQntuples(result) > 0;
    if (!drained) show_waiting(result, shown);
    PQclear(result);
    if (!open) {
      err_set(err, ERR_CONFIG, EXIT_FAILED, "rollout: another command has finished it");
      return WAIT_FAILED;
    }
    if (drained) return WAIT_DRAINED;
    if (signals_wait(signals, POLL_MS) != 0) return WAIT_INTERRUPTED;
  }
}

static int wait_until_drained(struct db *db, bool quiet) {
  static const int list[] = {SIGINT, SIGTERM, 0};
  struct signals signals = signals_open(list);
  struct buf shown = {0};
  struct err err;
  db->interrupt_fd = signals.fd;
  enum wait_end end = poll_until_drained(db, &signals, &shown, &err);
  db->interrupt_fd = -1;
  signals_close(&signals);
  if (shown.len > 0 && isatty(STDERR_FILENO) == 1)
    say_drawn(stderr, &(struct buf){.data = (char[]){"\r\x1b[K"}, .len = 4});
  buf_free(&shown);
  switch (end) {
    case WAIT_DRAINED:
      if (!quiet) print_next();
      return EXIT_DONE;
    case WAIT_INTERRUPTED:
      say(stderr,
          "the rollout stays open and its workers continue to stop; to wait again: luaflow rollout begin with the same "
          "names\n");
      return EXIT_DETACHED;
    case WAIT_FAILED:
      break;
  }
  if (!*err.hint) err_hint(&err, "luaflow rollout status shows its state");
  return cli_fail(&err);
}

/* ---- finish ---- */

static bool is_answered_yes(void) {
  char answer[8];
  say(stderr, "finish all the same? [y/N] ");
  fflush(stderr);
  return fgets(answer, sizeof answer, stdin) && (*answer == 'y' || *answer == 'Y');
}

/* Shows which waiting workers would be refused, and asks on a terminal; elsewhere it goes on. */
static bool confirm(struct db *db, bool yes, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_ROLLOUT, NULL, &result, err)) return false;
  int refused = print_refusals(stderr, result);
  PQclear(result);
  if (refused == 0 || yes || isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1 || is_answered_yes()) return true;
  err_set(err, ERR_CONFIG, EXIT_FAILED, "rollout: not finished: it stays open");
  err_hint(err, "correct the files of these workers and restart them; luaflow rollout finish --yes does not ask");
  return false;
}

static bool finish(struct db *db, const struct settings *settings, struct err *err) {
  const char *parameters[] = {settings->force ? "t" : "f"};
  bool quiet = settings->json;
  PGresult *result;
  if (!confirm(db, settings->yes, err)) return false;
  if (!db_run(db, DB_FINISH_ROLLOUT, parameters, &result, err)) {
    if (sqlstate_is_of_state(err->sqlstate) && !*err->hint) err_hint(err, "luaflow rollout status shows what is open");
    return false;
  }
  for (int row = 0; row < PQntuples(result) && !quiet; row++)
    say(stdout, "%s %s\n", db_text(result, row, 0),
        db_bool(result, row, 1) ? "is enabled again" : "stays disabled, as before");
  PQclear(result);
  return true;
}

int command_rollout(const struct call *call) {
  struct db db;
  struct err err;
  int verb = show_find_verb(call, "rollout", verbs, VERB_COUNT, &err);
  if (verb < 0) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "rollout", verb == STATUS ? ROLE_READER : ROLE_OPERATOR, &db, &err))
    return cli_fail(&err);
  int code = EXIT_DONE;
  bool ok = true, json = call->settings->json;
  const char *const *names = (const char *const *)call->argv + 1;
  if (verb == BEGIN) ok = begin(&db, names, call->argc - 1, &call->settings->new_functions, json, &err);
  if (verb == BEGIN && ok) code = wait_until_drained(&db, json);
  if (verb == FINISH) ok = finish(&db, call->settings, &err);
  if (ok && code == EXIT_DONE && (verb == STATUS || json))
    ok = show_list(&db, call->settings, DB_ROLLOUT, DB_ROLLOUT_JSON, NULL, print_status, &err);
  db_close(&db);
  return ok ? code : cli_fail(&err);
}
