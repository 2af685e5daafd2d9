/* luaflow reload: asks the live workers of queues to reload, and shows what each answered. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/say.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "cli/view/table.h"

enum { POLL_MS = 100, SILENT_MS = 2000 };

/* The columns of RELOAD_ANSWERS. */
enum { WORKER, QUEUE, ANSWER, GENERATION, REASON };

static bool is_answer(const PGresult *result, int row, const char *answer) {
  return strcmp(db_text(result, row, ANSWER), answer) == 0;
}

static int count(const PGresult *result, const char *answer) {
  int found = 0;
  for (int row = 0; row < PQntuples(result); row++) found += is_answer(result, row, answer);
  return found;
}

static void put_answer(struct table *table, const PGresult *result, int row) {
  const char *generation = db_text(result, row, GENERATION), *reason = db_text(result, row, REASON);
  bool reloaded = is_answer(result, row, "reloaded"), waiting = is_answer(result, row, "waiting");
  char *text = reloaded  ? xasprintf("reloaded: generation %s", generation)
               : waiting ? xasprintf("no answer yet%s%s", reason ? "; " : "", reason ? reason : "")
               : is_answer(result, row, "refused")
                   ? xasprintf("refused, generation %s still serves: %s", generation, reason)
                   : xstrdup("it ended before it could answer");
  table_put(table, reloaded ? TONE_GOOD : waiting ? TONE_BUSY : TONE_BAD, text);
  free(text);
}

static void print_answers(const PGresult *result) {
  static const struct table_column columns[] = {
      {"WORKER", 1, 9, false}, {"QUEUE", 0, 8, false}, {"ANSWER", 0, 0, true}};
  struct table table = table_begin(columns, 3);
  for (int row = 0; row < PQntuples(result); row++) {
    table_put(&table, TONE_PLAIN, db_text(result, row, WORKER));
    table_put(&table, TONE_PLAIN, db_text(result, row, QUEUE));
    put_answer(&table, result, row);
  }
  table_print(&table, "");
}

static uint64_t now_ms(void) { return uv_hrtime() / 1000000; }

/* The answers once nobody is waited for, or the time is over; NULL on failure. Says so once if it takes long. */
static PGresult *await_answers(struct db *db, const char *const *request, int64_t timeout_ms, struct err *err) {
  uint64_t began = now_ms(), until = began + (uint64_t)timeout_ms;
  bool told = false;
  for (;;) {
    PGresult *result;
    if (!db_run(db, DB_RELOAD_ANSWERS, request, &result, err)) return NULL;
    int waiting = count(result, "waiting");
    if (waiting == 0 || now_ms() >= until) return result;
    if (!told && now_ms() - began >= SILENT_MS) {
      say(stderr, "luaflow: waiting for %d of %d worker%s, at most %g s (--timeout)\n", waiting, PQntuples(result),
          PQntuples(result) == 1 ? "" : "s", (double)timeout_ms / 1000);
      told = true;
    }
    PQclear(result);
    poll(NULL, 0, POLL_MS);
  }
}

static bool judge(const PGresult *result, int64_t timeout_ms, struct err *err) {
  int all = PQntuples(result), reloaded = count(result, "reloaded"), waiting = count(result, "waiting");
  if (reloaded == all) return true;
  err_set(err, ERR_CONFIG, EXIT_FAILED, "reload: %d of %d worker%s did not reload", all - reloaded, all,
          all == 1 ? "" : "s");
  if (waiting > 0)
    return err_hint(err, "%d gave no answer within %g s (--timeout) and may still reload: luaflow workers", waiting,
                    (double)timeout_ms / 1000);
  return err_hint(err,
                  "correct what the answers name and run luaflow reload again; until then the previous code serves");
}

/* A move back may be a replica's that has older files than the others. */
static bool print_moves(struct db *db, const char *workers, const char *since, struct err *err) {
  const char *parameters[] = {workers, since};
  PGresult *moves;
  if (!db_run(db, DB_MOVED_ALIASES, parameters, &moves, err)) return false;
  for (int row = 0; row < PQntuples(moves); row++)
    say(stderr, "luaflow: %s%s\n", db_bool(moves, row, 1) ? "warning: " : "", db_text(moves, row, 0));
  PQclear(moves);
  return true;
}

static bool follow(struct db *db, const struct settings *settings, const PGresult *asked, const char *since,
                   struct err *err) {
  const char *request[] = {db_text(asked, 0, 0), db_text(asked, 0, 1)};
  PGresult *answers = await_answers(db, request, settings->timeout, err);
  if (!answers) return false;
  bool shown = true;
  if (settings->json)
    shown = show_json(db, DB_RELOAD_ANSWERS_JSON, request, err);
  else
    print_answers(answers);
  bool good = shown && print_moves(db, request[0], since, err) && judge(answers, settings->timeout, err);
  PQclear(answers);
  return good;
}

static bool reload(struct db *db, const struct call *call, struct err *err) {
  char *queues = call->argc > 0 ? show_array((const char *const *)call->argv, call->argc) : NULL;
  const char *parameters[] = {queues};
  PGresult *now = NULL, *asked;
  bool ok = db_run(db, DB_NOW, NULL, &now, err) && db_run(db, DB_REQUEST_RELOAD, parameters, &asked, err);
  free(queues);
  if (!ok) {
    PQclear(now);
    return false;
  }
  if (db_number(asked, 0, 2) > 0) {
    ok = follow(db, call->settings, asked, db_text(now, 0, 0), err);
  } else {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "reload: there is no live worker%s",
            call->argc > 0 ? " of these queues" : "");
    ok = err_hint(err, "a worker that starts takes the files as they are: luaflow worker");
  }
  PQclear(asked);
  PQclear(now);
  return ok;
}

int command_reload(const struct call *call) {
  struct db db;
  struct err err;
  if (!client_connect_to_schema(call->settings, "reload", ROLE_OPERATOR, &db, &err)) return cli_fail(&err);
  bool ok = reload(&db, call, &err);
  db_close(&db);
  return ok ? EXIT_DONE : cli_fail(&err);
}
