/* Applies each numbered migration once, then every function and view with create or replace, always in the same
 * order. */
#include "cli/schema.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/say.h"
#include "base/sqlstate.h"
#include "base/version.h"
#include "cli/schema_rights.h"
#include "cli/schema_verify.h"
#include "worker/control/schema_check.h"

#define MIGRATIONS "sql/migrations/"
#define OLDEST_PROGRAM "-- oldest program: "

/* An attempt waits for a lock for 2 s, and the next one follows after 1 s. */
enum { LEAST_SERVER = 150000, ATTEMPTS = 20, INSTALL_ATTEMPTS = 5 };

/* A numbered file: NNNN_name.sql. */
struct migration {
  const struct embed_file *file;
  int version;
  char name[64];
  char oldest_program[32];
};

static bool starts_with(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* The oldest program that works with the schema once the file is applied stands in its own comment; without one, only
 * programs from this version on do. */
static void read_oldest_program(struct migration *migration) {
  const char *mark = strstr(migration->file->data, "\n" OLDEST_PROGRAM);
  const char *version = mark ? mark + 1 + strlen(OLDEST_PROGRAM) : LUAFLOW_VERSION;
  snprintf(migration->oldest_program, sizeof migration->oldest_program, "%.*s", (int)strspn(version, "0123456789."),
           version);
}

/* True for a migration; the rest of sql/ is what next_replaceable gives. */
static bool read_migration(const struct embed_file *file, struct migration *migration) {
  if (!starts_with(file->path, MIGRATIONS)) return false;
  char *name;
  *migration = (struct migration){.file = file, .version = (int)strtol(file->path + strlen(MIGRATIONS), &name, 10)};
  if (*name == '_') name++;
  snprintf(migration->name, sizeof migration->name, "%.*s", (int)strcspn(name, "."), name);
  read_oldest_program(migration);
  return true;
}

/* The next file of those that every migration applies again: functions, the views that call them, the settings of
 * functions, then the grants. *position starts at 0. NULL after the last. */
static const struct embed_file *next_replaceable(size_t *position) {
  static const char *const folders[] = {"sql/functions/", "sql/views/", "sql/settings/", "sql/grants/"};
  size_t count;
  const struct embed_file *files = embed_files(&count);
  while (*position < count * (sizeof folders / sizeof *folders)) {
    size_t here = (*position)++;
    if (starts_with(files[here % count].path, folders[here / count])) return &files[here % count];
  }
  return NULL;
}

static bool check_server(struct db *db, struct err *err) {
  PGresult *result;
  if (!db_run(db, DB_SERVER, NULL, &result, err)) return false;
  bool is_recent = db_number(result, 0, 0) >= LEAST_SERVER;
  bool ok = is_recent && strcmp(db_text(result, 0, 2), "UTF8") == 0;
  if (!is_recent) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: the server runs PostgreSQL %s, but luaflow needs 15 or newer",
            db_text(result, 0, 1));
  } else if (!ok) {
    char place[PG_PLACE];
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "database: its encoding is %s, but luaflow needs UTF8 (%s)",
            db_text(result, 0, 2), db_place(db, place));
    err_hint(err, "nothing was changed; create another: " SCHEMA_CREATE_UTF8);
  }
  PQclear(result);
  return ok;
}

/* Whether the database has the migration; refused if it was applied with another text. */
static bool is_applied(struct db *db, const struct migration *migration, bool *applied, struct err *err) {
  char version[16];
  snprintf(version, sizeof version, "%d", migration->version);
  const char *parameters[] = {version, migration->file->sha256};
  PGresult *result;
  if (!db_run(db, DB_MIGRATION_APPLIED, parameters, &result, err)) return false;
  *applied = PQntuples(result) == 1;
  bool same = !*applied || db_bool(result, 0, 0);
  PQclear(result);
  if (same) return true;
  err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: %s differs from the migration %04d that this database has applied",
          migration->file->path, migration->version);
  return err_hint(err,
                  "use the luaflow that applied it; to delete a dev database and create it again: luaflow dev --reset");
}

/* Begins a transaction that excludes every other migrate and waits only briefly for other locks, because sessions
 * that use the same tables wait behind it. What was read before may have changed. */
static bool begin_alone(struct db *db, bool schema_exists, struct err *err) {
  int version = 0;
  bool too_new;
  if (!db_run(db, DB_BEGIN, NULL, NULL, err)) return false;
  if (schema_exists &&
      (!db_run(db, DB_LOCK_MIGRATIONS, NULL, NULL, err) || !schema_read_version(db, &version, &too_new, err)))
    return false;
  if (version > schema_own_version()) return schema_refuse_newer(version, err);
  return db_run(db, DB_WAIT_BRIEFLY, NULL, NULL, err);
}

static bool record_migration(struct db *db, const struct migration *migration, struct err *err) {
  char version[16];
  snprintf(version, sizeof version, "%d", migration->version);
  const char *parameters[] = {version, migration->name, migration->file->sha256, migration->oldest_program};
  return db_run(db, DB_WARN_OF_ERRORS_ONLY, NULL, NULL, err) &&
         db_run_script(db, migration->file->path, migration->file->data, err) &&
         db_run(db, DB_RECORD_MIGRATION, parameters, NULL, err);
}

/* Applies it unless another process has done so meanwhile. */
static bool apply_migration(struct db *db, const struct migration *migration, struct schema_report *report,
                            struct err *err) {
  bool is_first = migration->version == 1; /* it creates the schema, and the table to lock */
  bool applied = false;
  if (!begin_alone(db, !is_first, err) || (!is_first && !is_applied(db, migration, &applied, err)) ||
      (!applied && !record_migration(db, migration, err)) || !db_run(db, DB_COMMIT, NULL, NULL, err))
    return false;
  if (!applied) report->applied++;
  return true;
}

/* Applies what is missing; with only_check nothing is applied, and the applied ones are compared. */
static bool walk_migrations(struct db *db, int version, bool only_check, struct schema_report *report,
                            struct err *err) {
  size_t count;
  const struct embed_file *files = embed_files(&count);
  struct migration migration;
  for (size_t i = 0; i < count; i++) {
    if (!read_migration(&files[i], &migration)) continue;
    bool applied = false;
    if (version > 0 && !is_applied(db, &migration, &applied, err)) return false;
    if (applied || only_check) continue;
    if (!apply_migration(db, &migration, report, err)) return false;
  }
  return true;
}

static bool replace_functions(struct db *db, struct schema_report *report, struct err *err) {
  const struct embed_file *file;
  if (!begin_alone(db, true, err) || !db_run(db, DB_BODIES_UNCHECKED, NULL, NULL, err)) return false;
  report->replaced = 0;
  for (size_t position = 0; (file = next_replaceable(&position));) {
    if (!db_run_script(db, file->path, file->data, err)) return false;
    report->replaced++;
  }
  return db_run(db, DB_COMMIT, NULL, NULL, err);
}

/* Puts the version that it found into *version. */
static bool try_to_migrate(struct db *db, int *version, struct schema_report *report, struct err *err) {
  bool exists, too_new;
  if (!schema_find(db, &exists, err) || !schema_check_owner(db, err) ||
      !schema_read_version(db, version, &too_new, err))
    return false;
  if (*version > report->version) return schema_refuse_newer(*version, err);
  return walk_migrations(db, *version, true, report, err) && schema_ensure_pgmq(db, *version, err) &&
         walk_migrations(db, *version, false, report, err) && replace_functions(db, report, err);
}

/* Names in *err the session whose transaction keeps the schema's tables locked. */
static void name_holder(struct db *db, struct err *err) {
  PGresult *result;
  struct err unknown;
  if (!db_run(db, DB_SCHEMA_HOLDER, NULL, &result, &unknown)) return;
  if (PQntuples(result) == 1) {
    err_set(err, ERR_CONFIG, EXIT_DATABASE, "schema: an open transaction of %s uses its tables or views",
            db_text(result, 0, 0));
    err_hint(err, "end it: %s; then run luaflow migrate again: it continues where it stopped", db_text(result, 0, 1));
  }
  PQclear(result);
}

/* Ends the transaction of a failed attempt. True if another attempt is due; it has then waited for that. */
static bool may_try_again(struct db *db, int attempt, int version, struct err *err) {
  bool locked_out = sqlstate_is_locked_out(err->sqlstate);
  /* Two that install at the same moment collide at what both create. */
  bool overtaken = version == 0 && attempt < INSTALL_ATTEMPTS && sqlstate_is_duplicate(err->sqlstate);
  if (!locked_out && !overtaken) return false;
  struct err broken;
  if (PQtransactionStatus(db->connection) != PQTRANS_IDLE && !db_run_script(db, "rollback", "rollback", &broken))
    return false;
  if (!locked_out) return true;
  name_holder(db, err);
  if (attempt == 1) say(stderr, "luaflow: %s; waiting\n", err->message);
  sleep(1);
  return attempt < ATTEMPTS;
}

bool schema_migrate(struct db *db, struct schema_report *report, struct err *err) {
  *report = (struct schema_report){.version = schema_own_version()};
  if (!check_server(db, err)) return false;
  for (int attempt = 1;; attempt++) {
    int version = 0;
    if (try_to_migrate(db, &version, report, err)) {
      schema_warn_of_roles(db);
      schema_warn_of_pgmq(db);
      return true;
    }
    if (!may_try_again(db, attempt, version, err)) return schema_explain_rights(db, err);
  }
}

static void print_file(FILE *out, const struct embed_file *file) {
  fprintf(out, "\n-- %s\n", file->path);
  fwrite(file->data, 1, file->length, out);
}

void schema_print(FILE *out) {
  size_t count;
  const struct embed_file *files = embed_files(&count);
  struct migration migration;
  fprintf(out,
          "-- The schema of luaflow %s. Each migration is applied once, in its own transaction; everything after them\n"
          "-- is applied again at every upgrade. Install PGMQ 1.5 or newer first.\n",
          LUAFLOW_VERSION);
  for (size_t i = 0; i < count; i++) {
    if (!read_migration(&files[i], &migration)) continue;
    fputs("\nbegin;\nset local search_path = pg_catalog, pg_temp;\n", out);
    print_file(out, &files[i]);
    fprintf(out,
            "\ninsert into pgflow.migrations (version, name, checksum, oldest_program)\n  values (%d, '%s', '%s', "
            "'%s');\ncommit;\n",
            migration.version, migration.name, files[i].sha256, migration.oldest_program);
  }
  fputs("\nbegin;\nset local search_path = pg_catalog, pg_temp;\nset local check_function_bodies = off;\n", out);
  const struct embed_file *file;
  for (size_t position = 0; (file = next_replaceable(&position));) print_file(out, file);
  fputs("\ncommit;\n", out);
}
