/* Every setting and option of the command line in one table: it drives getopt_long, the environment and --help.
 * Knows the commands only as bits that say which of them take a setting. */
#ifndef LUAFLOW_BASE_SETTINGS_H
#define LUAFLOW_BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum {
  FOR_DEV = 1 << 0,
  FOR_WORKER = 1 << 1,
  FOR_CHECK = 1 << 2,
  FOR_START = 1 << 3,
  FOR_RUNS = 1 << 4,
  FOR_RUN = 1 << 5,
  FOR_MIGRATE = 1 << 6,
  FOR_LUA = 1 << 7,
  FOR_TYPES = 1 << 8,
  FOR_CANCEL = 1 << 9,
  FOR_RETRY = 1 << 10,
  FOR_FLOWS = 1 << 11,
  FOR_QUEUES = 1 << 12,
  FOR_WORKER_LIST = 1 << 13,
  FOR_FUNCTIONS = 1 << 14,
  FOR_ROLLOUT = 1 << 15,
  FOR_PRUNE = 1 << 16,
  FOR_DOCTOR = 1 << 17,
  FOR_TRY = 1 << 18,
  FOR_RELOAD = 1 << 19,
  FOR_INIT = 1 << 20,
  FOR_OPERATORS = FOR_CANCEL | FOR_RETRY | FOR_FLOWS | FOR_QUEUES | FOR_WORKER_LIST | FOR_FUNCTIONS | FOR_ROLLOUT |
                  FOR_PRUNE | FOR_DOCTOR | FOR_RELOAD,
  FOR_CLIENTS = FOR_START | FOR_RUNS | FOR_RUN | FOR_MIGRATE | FOR_OPERATORS,
  FOR_WORKERS = FOR_DEV | FOR_WORKER,
  FOR_SCRIPTS = FOR_LUA | FOR_TRY,
};

enum setting_kind {
  SETTING_TEXT,    /* const char * */
  SETTING_CHOICE,  /* const char *, one of the words in the argument column */
  SETTING_NUMBER,  /* int64_t */
  SETTING_SECONDS, /* int64_t milliseconds; written 30, 30s, 500ms, 2m, 1h, 7d, 4w */
  SETTING_BYTES,   /* int64_t; written 512MB, 1GB, 64kB or a plain number */
  SETTING_SWITCH,  /* bool */
  SETTING_LIST,    /* struct setting_list; the flag may be given several times */
};

enum { SETTING_LIST_MOST = 100 };

struct setting_list {
  int count;
  const char *items[SETTING_LIST_MOST];
};

#define SETTING_TYPE_TEXT const char *
#define SETTING_TYPE_CHOICE const char *
#define SETTING_TYPE_NUMBER int64_t
#define SETTING_TYPE_SECONDS int64_t
#define SETTING_TYPE_BYTES int64_t
#define SETTING_TYPE_SWITCH bool
#define SETTING_TYPE_LIST struct setting_list

#define SETTINGS_MB ((int64_t)1 << 20)

/* X(field, kind, flag, argument, default or NULL, lowest, highest, environment or NULL, commands, help) A setting
 * without a default is NULL, 0 or false until it is given. Of several variables the first that is set counts. */
#define SETTINGS(X)                                                                                                 \
  X(database, TEXT, "database", "CONNINFO", NULL, 0, 0, "LUAFLOW_DATABASE,DATABASE_URL",                            \
    FOR_CLIENTS | FOR_WORKER | FOR_SCRIPTS | FOR_CHECK | FOR_TYPES,                                                 \
    "libpq conninfo or URI; default: the dev database of this folder while it runs")                                \
  X(queue, TEXT, "queue", "QUEUE", NULL, 0, 0, "LUAFLOW_QUEUE", FOR_WORKER,                                         \
    "the one queue to serve, of those that the modules name; needed when there are several")                        \
  X(executors, NUMBER, "executors", "N", NULL, 1, 1024, "LUAFLOW_EXECUTORS", FOR_WORKERS,                           \
    "processes that run handlers; default: the number of CPUs, in dev 1 for each queue")                            \
  X(concurrency, NUMBER, "concurrency", "N", NULL, 1, 100000, "LUAFLOW_CONCURRENCY", FOR_WORKERS,                   \
    "tasks in flight in a worker; default: 10 for each executor")                                                   \
  X(batch, NUMBER, "batch", "N", "500", 1, 10000, "LUAFLOW_BATCH", FOR_WORKERS, "most tasks in one transaction")    \
  X(grace, SECONDS, "grace", "TIME", "30s", 0, 86400000, "LUAFLOW_GRACE", FOR_WORKERS,                              \
    "time that handlers have to finish when the worker stops")                                                      \
  X(executor_memory, BYTES, "executor-memory", "SIZE", "512MB", 32 * SETTINGS_MB, 1048576 * SETTINGS_MB,            \
    "LUAFLOW_EXECUTOR_MEMORY", FOR_WORKERS | FOR_CHECK | FOR_TYPES | FOR_TRY,                                       \
    "resident memory above which an executor is replaced, or ended while it loads the modules")                     \
  X(max_output, BYTES, "max-output", "SIZE", "16MB", 1024, 512 * SETTINGS_MB, "LUAFLOW_MAX_OUTPUT",                 \
    FOR_WORKERS | FOR_SCRIPTS,                                                                                      \
    "largest output of one task, as JSON text; also the limit for what a handler's query sends or receives")        \
  X(max_input, BYTES, "max-input", "SIZE", "64MB", 1024, 512 * SETTINGS_MB, "LUAFLOW_MAX_INPUT", FOR_WORKERS,       \
    "largest input of one task, and of all tasks in one claim, as JSON text; a task with a larger input fails")     \
  X(handler_connections, NUMBER, "handler-connections", "N", "4", 1, 1000, "LUAFLOW_HANDLER_CONNECTIONS",           \
    FOR_WORKERS | FOR_SCRIPTS, "most connections at a time for handlers' SQL")                                      \
  X(handler_database, TEXT, "handler-database", "CONNINFO", NULL, 0, 0, "LUAFLOW_HANDLER_DATABASE", FOR_WORKERS,    \
    "conninfo or URI for handlers' SQL, for another role or server; default: as --database")                        \
  X(env_file, TEXT, "env-file", "FILE", NULL, 0, 0, "LUAFLOW_ENV_FILE", FOR_WORKERS | FOR_TRY,                      \
    "file of NAME=value lines for ctx.env; they win over the environment")                                          \
  X(root, TEXT, "root", "DIR", NULL, 0, 0, "LUAFLOW_ROOT",                                                          \
    FOR_WORKERS | FOR_CHECK | FOR_TYPES | FOR_SCRIPTS | FOR_CLIENTS,                                                \
    "folder that require starts from; default: the nearest above PATH with .git or .luaflow-root, or above PATH")   \
  X(log_format, CHOICE, "log-format", "text|json", NULL, 0, 0, "LUAFLOW_LOG_FORMAT", FOR_WORKERS | FOR_SCRIPTS,     \
    "format of log lines on stderr; default: text on a terminal, else json")                                        \
  X(log_level, CHOICE, "log-level", "debug|info|warn|error", "info", 0, 0, "LUAFLOW_LOG_LEVEL",                     \
    FOR_WORKERS | FOR_SCRIPTS, "lowest level that is logged")                                                       \
  X(watch, SWITCH, "watch", NULL, NULL, 0, 0, NULL, FOR_WORKER,                                                     \
    "reload when a file changes: code and runtime options; new versions wait for luaflow reload or SIGHUP")         \
  X(watch_settle, SECONDS, "watch-settle", "TIME", NULL, 1, 3600000, "LUAFLOW_WATCH_SETTLE", FOR_WORKERS,           \
    "how long the files must be unchanged before a change is taken; default: 2s, in dev 20ms")                      \
  X(flow_input, TEXT, "flow-input", "JSON", NULL, 0, 0, NULL, FOR_TRY,                                              \
    "the run's input, for ctx:flow_input() in a step whose own input differs")                                      \
  X(attempt, NUMBER, "attempt", "N", "1", 1, 1000000, NULL, FOR_TRY, "number of the attempt that the handler sees") \
  X(development, SWITCH, "development", NULL, NULL, 0, 0, NULL, FOR_WORKER,                                         \
    "handlers must not write new globals, as under luaflow dev")                                                    \
  X(wait, SWITCH, "wait", NULL, NULL, 0, 0, NULL, FOR_START | FOR_RETRY,                                            \
    "show the steps until the run has ended, then print its output; Ctrl-C detaches")                               \
  X(key, TEXT, "key", "KEY", NULL, 0, 0, NULL, FOR_START,                                                           \
    "idempotency key: a second start with the same key returns the first run")                                      \
  X(flow, TEXT, "flow", "NAME", NULL, 0, 0, NULL, FOR_RUNS, "only runs of this alias or concrete slug")             \
  X(status, CHOICE, "status", "started|completed|failed|cancelled", NULL, 0, 0, NULL, FOR_RUNS,                     \
    "only runs in this state")                                                                                      \
  X(limit, NUMBER, "limit", "N", "20", 1, 1000000, NULL, FOR_RUNS, "most runs to list, the latest first")           \
  X(json, SWITCH, "json", NULL, NULL, 0, 0, NULL, FOR_START | FOR_RUNS | FOR_RUN | FOR_CHECK | FOR_OPERATORS,       \
    "print JSON for programs")                                                                                      \
  X(reason, TEXT, "reason", "TEXT", NULL, 0, 0, NULL, FOR_CANCEL, "reason, stored as the run's error message")      \
  X(all, SWITCH, "all", NULL, NULL, 0, 0, NULL, FOR_WORKER_LIST,                                                    \
    "also workers that stopped, or died more than a day ago")                                                       \
  X(full, SWITCH, "full", NULL, NULL, 0, 0, NULL, FOR_DOCTOR, "check the data of ended runs too; takes long")       \
  X(new_functions, LIST, "new", "NAME", NULL, 0, 0, NULL, FOR_ROLLOUT,                                              \
    "begin: a worker function that the new version adds, so that its workers wait too; may be repeated")            \
  X(force, SWITCH, "force", NULL, NULL, 0, 0, NULL, FOR_ROLLOUT, "finish although old workers still run")           \
  X(yes, SWITCH, "yes", NULL, NULL, 0, 0, NULL, FOR_ROLLOUT,                                                        \
    "finish: does not ask if waiting workers would be refused")                                                     \
  X(timeout, SECONDS, "timeout", "TIME", "60s", 0, 86400000, NULL, FOR_RELOAD, "how long to wait for answers")      \
  X(older_than, SECONDS, "older-than", "TIME", NULL, 0, INT64_C(3155760000000), NULL, FOR_PRUNE,                    \
    "delete runs that ended longer ago than this, such as 12h, 30d or 8w")                                          \
  X(prune_batch, NUMBER, "batch", "N", "10000", 1, 1000000, NULL, FOR_PRUNE, "most runs in one transaction")        \
  X(output, TEXT, "output", "DIR", NULL, 0, 0, NULL, FOR_TYPES, "folder for the files, also -o DIR")                \
  X(from_runs, SWITCH, "from-runs", NULL, NULL, 0, 0, NULL, FOR_TYPES,                                              \
    "infer types from inputs and outputs of the database's newest runs; only names and types are written")          \
  X(samples, LIST, "samples", "FILE", NULL, 0, 0, NULL, FOR_TYPES,                                                  \
    "infer types from examples that luaflow.testing has saved there; may be repeated")                              \
  X(print, SWITCH, "print", NULL, NULL, 0, 0, NULL, FOR_MIGRATE, "print the SQL and change nothing")                \
  X(reset, SWITCH, "reset", NULL, NULL, 0, 0, NULL, FOR_DEV, "delete the database's data first")                    \
  X(data, TEXT, "data", "DIR", NULL, 0, 0, NULL, FOR_DEV, "folder for the database's data")                         \
  X(database_only, SWITCH, "database-only", NULL, NULL, 0, 0, NULL, FOR_DEV,                                        \
    "run the database alone, print its conninfo, and end at SIGINT or SIGTERM; needs --data")

enum setting {
#define X(field, ...) SET_##field,
  SETTINGS(X)
#undef X
      SETTING_COUNT
};

/* Texts are borrowed from argv, the environment or the table. */
struct settings {
#define X(field, kind, ...) SETTING_TYPE_##kind field;
  SETTINGS(X)
#undef X
  /* What a flag on the command line gave, so that it can be passed on; NULL where none did. "" for a switch. */
  const char *from_flag[SETTING_COUNT];
};

/* Fills *settings for the command (one FOR_ bit) from defaults, environment and flags, a flag winning over the
 * environment. argv[0] is the command's name. Afterwards *rest is the index of the first of the other arguments,
 * which have been moved to the end; with stop_at_argument nothing is read from the first of them on. A dash and a
 * digit begin an argument. *help: --help was given, nothing else is checked. False: a usage error (exit 2) in *err.
 * */
bool settings_read(struct settings *settings, unsigned command, bool stop_at_argument, int argc, char **argv, int *rest,
                   bool *help, struct err *err) __attribute__((warn_unused_result));
/* The options that the command takes, as --help shows them. */
void settings_print_help(FILE *out, unsigned command);
/* The flag with its dashes, such as "--grace". */
/* Where the setting's value comes from: its flag, or the variable that is set. */
void setting_source(const struct settings *settings, enum setting setting, char *out, size_t size);
const char *setting_flag(enum setting setting);
/* True if the command takes the setting. */
bool setting_is_for(enum setting setting, unsigned command);

#endif
