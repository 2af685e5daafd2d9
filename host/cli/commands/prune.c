/* luaflow prune: deletes runs that ended long ago, in batches, so that no transaction is long. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "cli/client.h"
#include "cli/commands/commands.h"

/* A bare number would be seconds, which nobody means here. */
static bool check_age(const struct settings *settings, struct err *err) {
  const char *given = settings->from_flag[SET_older_than];
  if (!given) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "prune: --older-than is missing");
    return err_hint(err, "for example: luaflow prune --older-than 30d");
  }
  if (isalpha((unsigned char)given[strlen(given) - 1])) return true;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "prune: --older-than %s has no unit", given);
  return err_hint(err, "units are s, m (minutes), h, d and w: %sd is %s days", given, given);
}

static void show_progress(long long removed) {
  struct buf out = {0};
  buf_printf(&out, "\r%lld runs deleted so far", removed);
  say_drawn(stderr, &out);
  buf_free(&out);
}

static bool prune(struct db *db, const struct settings *settings, long long *removed, struct err *err) {
  char age[32], batch[32];
  snprintf(age, sizeof age, "%lld", (long long)settings->older_than);
  snprintf(batch, sizeof batch, "%lld", (long long)settings->prune_batch);
  const char *parameters[] = {age, batch};
  bool terminal = isatty(STDERR_FILENO) == 1;
  for (long long count = 1; count > 0;) {
    PGresult *result;
    if (!db_run(db, DB_PRUNE, parameters, &result, err)) return false;
    count = db_number(result, 0, 0);
    *removed += count;
    PQclear(result);
    if (terminal && count > 0) show_progress(*removed);
  }
  if (terminal && *removed > 0) say_drawn(stderr, &(struct buf){.data = (char[]){"\r\x1b[K"}, .len = 4});
  return true;
}

int command_prune(const struct call *call) {
  struct db db;
  struct err err;
  long long removed = 0;
  if (!check_age(call->settings, &err)) return cli_fail(&err);
  if (!client_connect_to_schema(call->settings, "prune", ROLE_OPERATOR, &db, &err)) return cli_fail(&err);
  bool ok = prune(&db, call->settings, &removed, &err);
  db_close(&db);
  if (!ok && removed > 0)
    err_hint(&err, "%lld runs were deleted before the error; run luaflow prune again to delete the rest", removed);
  if (!ok) return cli_fail(&err);
  if (call->settings->json)
    say(stdout, "{\"removed_runs\": %lld}\n", removed);
  else
    say(stdout, "%lld run%s deleted\n", removed, removed == 1 ? "" : "s");
  return EXIT_DONE;
}
