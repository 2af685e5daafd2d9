/* luaflow migrate: installs or upgrades the schema. */
#include <string.h>

#include "base/say.h"
#include "base/sqlstate.h"
#include "cli/client.h"
#include "cli/commands/commands.h"
#include "cli/schema.h"

int command_migrate(const struct call *call) {
  if (call->settings->print) {
    schema_print(stdout);
    return EXIT_DONE;
  }
  struct db db;
  struct err err;
  struct schema_report report;
  if (!client_connect(call->settings, "migrate", &db, &err)) return cli_fail(&err);
  bool ok = schema_migrate(&db, &report, &err);
  db_close(&db);
  if (!ok && sqlstate_lacks_right(err.sqlstate) && !*err.hint)
    err_hint(&err, "connect as the owner of schema pgflow; to install it, connect as a role that can create schemas");
  if (!ok) return cli_fail(&err);
  say(stdout, "schema at version %d: %d migration%s applied, %d functions and views replaced\n", report.version,
      report.applied, report.applied == 1 ? "" : "s", report.replaced);
  return EXIT_DONE;
}
