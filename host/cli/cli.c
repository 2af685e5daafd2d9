/* The table of subcommands, help and version, and the one place that prints a command's error. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/process_one.h"
#include "base/process_start.h"
#include "base/say.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "cli/commands/commands.h"
#include "cli/view/show.h"
#include "executor/exec_child.h"
#include "executor/executor.h"
#include "pg/conninfo.h"

struct command {
  const char *name;
  unsigned bit; /* FOR_... */
  int least;    /* arguments that are not options */
  int most;
  bool stop_at_argument; /* what follows the first argument belongs to it */
  int (*run)(const struct call *call);
  const char *arguments;
  const char *summary;
  const char *details;
};

enum { ANY_NUMBER = 1 << 20 };

static const struct command commands[] = {
    {"init", FOR_INIT, 0, 1, false, command_init, "[DIR]", "begins a project: a flow, its specs, settings for tools",
     "Creates DIR (default: the current folder) with a first flow, its spec, the settings of busted and of editors, a\n"
     "table of the project's own, and what runs it as a service. Files that are there already stay as they are."},
    {"dev", FOR_DEV, 0, ANY_NUMBER, false, command_dev, "[PATH...]",
     "a private Postgres with PGMQ, and a worker for every queue of the flows",
     "PATH is a flow file or a folder of flow files; default: flows/ in the root. The data is kept between starts.\n"
     "Ctrl-C, or closing the terminal, ends the workers and the database."},
    {"worker", FOR_WORKER, 1, ANY_NUMBER, false, command_worker, "[--queue QUEUE] PATH...", "one worker on one queue",
     "Deploys the flows at PATH and runs their tasks. SIGTERM or Ctrl-C drains; a second one stops at once.\n"
     "Without --executors it uses every CPU."},
    {"check", FOR_CHECK, 1, ANY_NUMBER, false, command_check, "PATH...", "loads flows and prints every problem",
     "Needs no database. With --database, which must be given here, it also shows what a deployment of the flows "
     "would\n"
     "do there now (created, refused and why, activated or kept, workers that would lack steps), changes nothing, and\n"
     "ends with the worker's exit code (4, 5) if it would be refused. The role must be a member of pgflow_reader."},
    {"try", FOR_TRY, 1, 3, false, command_try, "PATH STEP [JSON]", "runs one handler once, outside any run",
     "STEP is a step of the flows at PATH; write FLOW.STEP if several flows have it. JSON is its input; - reads it\n"
     "from standard input. For a root step the input is the run's input, for a step with dependencies an object of\n"
     "their outputs (both {} by default), for a map one element (null by default). Prints the output; exits 1 if\n"
     "the handler fails or snoozes. Nothing is recorded. A database is opened only if the handler calls ctx:query,\n"
     "and what that writes stays, or ctx.tx:query, and what that writes is rolled back. ctx:flow_input() in a step\n"
     "with dependencies needs --flow-input."},
    {"types", FOR_TYPES, 1, ANY_NUMBER, false, command_types, "PATH... -o DIR",
     "writes definitions of the flows for editors (LuaCATS)",
     "Writes one file for each flow: its queues, its routes and the dependency table of each step. Needs no database,\n"
     "but for --from-runs, which reads the shapes of inputs and outputs from runs; without it they are any again."},
    {"start", FOR_START, 1, 2, false, command_start, "NAME [JSON]", "starts a run",
     "NAME is an alias or the concrete slug of its active version. JSON is the run's input (default {}); - reads\n"
     "it from standard input. Prints the run's id, with --wait its output."},
    {"runs", FOR_RUNS, 0, 0, false, command_runs, "", "lists runs", "The latest first."},
    {"run", FOR_RUN, 1, 1, false, command_run, "ID", "shows one run as a tree of steps",
     "Shows states, durations, attempts and errors."},
    {"cancel", FOR_CANCEL, 1, 1, false, command_cancel, "ID", "ends a run",
     "Waiting tasks will not run, running handlers are asked to stop, and what they return is refused. Exits 1 if\n"
     "the run had already ended."},
    {"retry", FOR_RETRY, 1, 1, false, command_retry, "ID",
     "retries a failed or cancelled run from the steps that did not complete",
     "Creates a new run of the same version and input, and prints its id. A second retry of the same run starts\n"
     "nothing: it prints the same id, and how that run stands. Of a run that has not ended, the tasks that wait for\n"
     "their next attempt become due at once."},
    {"flows", FOR_FLOWS, 0, 2, false, command_flows, "[retire ALIAS | forget SLUG]",
     "lists the versions of each alias, and why an old one is still needed",
     "retire: the alias has no active version any more, so new starts are refused. forget: deletes a version\n"
     "without runs."},
    {"queues", FOR_QUEUES, 0, 0, false, command_queues, "", "lists queues: waiting messages, their age, workers", ""},
    {"workers", FOR_WORKER_LIST, 0, 0, false, command_workers, "",
     "lists workers: their state and what they have in flight",
     "States: running; draining (deprecated: it finishes its tasks); dead (no heartbeat for 30 s); stopped."},
    {"reload", FOR_RELOAD, 0, ANY_NUMBER, false, command_reload, "[QUEUE...]",
     "asks live workers to take what their files have, new versions too",
     "Of the named queues, or of all. Prints what each answered; exits 1 if one refused, ended, or gave no answer.\n"
     "Workers that drain, and those whose function is disabled, are not asked."},
    {"functions", FOR_FUNCTIONS, 0, ANY_NUMBER, false, command_functions, "[enable|disable NAME... | forget NAME]",
     "lists, enables, disables or deletes worker functions",
     "Workers of a disabled function that start wait: they do not deploy or claim. Workers that run continue;\n"
     "luaflow rollout begin stops them too. forget: deletes a function without live workers."},
    {"rollout", FOR_ROLLOUT, 1, ANY_NUMBER, false, command_rollout, "begin NAME... [--new NAME]... | status | finish",
     "disables worker functions while a new version is rolled out",
     "begin: disables the functions, asks their workers to stop and waits until they have; run it again with the\n"
     "same names to continue. --new is for functions whose queues the new version adds: they are recorded, so that\n"
     "their workers wait too. finish: enables the functions that were enabled before. tools/README.md has the\n"
     "whole sequence."},
    {"prune", FOR_PRUNE, 0, 0, false, command_prune, "--older-than TIME", "deletes runs that ended long ago",
     "Deletes their tasks and archived messages too, in batches."},
    {"doctor", FOR_DOCTOR, 0, 0, false, command_doctor, "", "checks the installation, the connection and the data",
     "Prints a line for each finding: ok, warning or problem, with what to do. Exits 1 if there is a problem, 6 if\n"
     "luaflow cannot work with the database at all. Reads every table."},
    {"migrate", FOR_MIGRATE, 0, 0, false, command_migrate, "", "installs or upgrades the schema",
     "Safe to run twice, and from several places at once."},
    {"lua", FOR_LUA, 1, ANY_NUMBER, true, command_lua, "SCRIPT [ARG...]", "runs a Lua script in its own executor",
     "The script receives ctx as its first argument. It keeps the environment, folder and standard streams, and\n"
     "has no limits."},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name) {
  for (int i = 0; i < COMMAND_COUNT; i++)
    if (strcmp(commands[i].name, name) == 0) return &commands[i];
  return NULL;
}

static void print_usage(FILE *out) {
  say(out,
      "Usage: luaflow COMMAND [OPTION...] [ARGUMENT...]\n\n"
      "Durable workflows in PostgreSQL with steps written in Lua.\n\nCommands:\n");
  for (int i = 0; i < COMMAND_COUNT; i++) say(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  say(out, "\nluaflow COMMAND --help shows a command's options; luaflow --version prints the version.\n");
}

static void print_command_help(const struct command *command) {
  say(stdout, "Usage: luaflow %s [OPTION...]%s%s\n\n%s%s", command->name, *command->arguments ? " " : "",
      command->arguments, command->summary, *command->details ? ".\n" : "\n");
  if (*command->details) say(stdout, "%s\n", command->details);
  say(stdout, "\nOptions, each with the environment variable that also sets it:\n");
  settings_print_help(stdout, command->bit);
}

/* A URI that was given in the wrong place shows its host at most: what stands before the last @ may be a password. */
static void hide_credentials(char *text) {
  for (char *uri = text; (uri = strstr(uri, "://"));) {
    uri += 3;
    char *at = memrchr(uri, '@', strcspn(uri, " "));
    if (at) memset(uri, '*', (size_t)(at - uri));
  }
}

int cli_fail(const struct err *err) {
  struct err shown = *err;
  hide_credentials(shown.message);
  say_err(&shown);
  return (int)err->exit_code;
}

static bool refuse_command(const char *name, struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: unknown %s", name, name[0] == '-' ? "option" : "command");
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; i++) names[i] = commands[i].name;
  const char *best = nearest(name, names, COMMAND_COUNT);
  if (best) return err_hint(err, "did you mean luaflow %s?", best);
  return err_hint(err, "luaflow --help lists the commands");
}

static struct log make_log(const struct settings *settings) {
  bool terminal = isatty(STDERR_FILENO) == 1;
  struct log log = {.level = LOG_INFO,
                    .format = terminal ? LOG_TEXT : LOG_JSON,
                    .colour = terminal && !getenv("NO_COLOR"),
                    .program = NULL};
  if (settings->log_format) log.format = strcmp(settings->log_format, "json") == 0 ? LOG_JSON : LOG_TEXT;
  if (settings->log_level && !log_level_parse(settings->log_level, &log.level))
    abort(); /* the table lists the same words */
  return log;
}

static int run_with(const struct command *command, const struct settings *settings, int rest, int argc, char **argv) {
  struct err err;
  int count = argc - rest;
  if (count < command->least || count > command->most) {
    if (count < command->least)
      show_argument_missing(&err, command->name, command->arguments, count);
    else
      err_set(&err, ERR_CONFIG, EXIT_USAGE, "%s: %s is one argument too many", command->name,
              argv[rest + command->most]);
    err_hint(&err, "usage: luaflow %s [OPTION...]%s%s", command->name, *command->arguments ? " " : "",
             command->arguments);
    return cli_fail(&err);
  }
  struct log log = make_log(settings);
  return command->run(&(struct call){.settings = settings, .argc = count, .argv = argv + rest, .log = &log});
}

/* Everybody can read a process's command line. A password there is overwritten, and *value points to a copy, which is
 * returned and owned by the caller; NULL where there is none. */
static char *hide_password(struct settings *settings, enum setting setting, const char **value) {
  char *given = (char *)settings->from_flag[setting]; /* a piece of argv */
  if (!given || !conninfo_has_password(given)) return NULL;
  char *copy = xstrdup(given);
  memset(given, '*', strlen(given));
  settings->from_flag[setting] = *value = copy;
  return copy;
}

static int run_command(const struct command *command, int argc, char **argv) {
  struct settings settings;
  struct err err;
  int rest;
  bool help;
  if (!settings_read(&settings, command->bit, command->stop_at_argument, argc, argv, &rest, &help, &err))
    return cli_fail(&err);
  if (help) {
    print_command_help(command);
    return EXIT_DONE;
  }
  char *database = hide_password(&settings, SET_database, &settings.database);
  char *handlers = hide_password(&settings, SET_handler_database, &settings.handler_database);
  int code = run_with(command, &settings, rest, argc, argv);
  free(database);
  free(handlers);
  return code;
}

/* Output that is lost is a failure, whatever the command says. */
static int check_output(int code) {
  struct err err;
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  if (errno == 0 && fputc('\n', stdout) != EOF) fflush(stdout); /* lost earlier: one more byte shows the reason */
  err_set(&err, ERR_CONFIG, EXIT_FAILED, "standard output: %s",
          errno ? strerror(errno) : "not everything could be written");
  cli_fail(&err);
  return code == EXIT_DONE ? EXIT_FAILED : code;
}

static int run_line(int argc, char **argv) {
  if (argc < 2) {
    say(stderr, "luaflow: no command was given\n\n");
    print_usage(stderr);
    return EXIT_USAGE;
  }
  const char *name = argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "help") == 0 || strcmp(name, "-h") == 0) {
    print_usage(stdout);
    return EXIT_DONE;
  }
  if (strcmp(name, "--version") == 0) {
    say(stdout, "luaflow " LUAFLOW_VERSION "\n");
    return EXIT_DONE;
  }
  const struct command *command = find_command(name);
  if (command) return run_command(command, argc - 1, argv + 1);
  struct err err;
  refuse_command(name, &err);
  return cli_fail(&err);
}

int cli_main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "exec-child") == 0) return exec_child_main(argv + 2);
  bool is_executor = argc > 1 && strcmp(argv[1], "executor") == 0;
  process_start(is_executor ? PROCESS_EXECUTOR : PROCESS_HOST);
  process_leave_pid_one(argc, argv);
  if (is_executor) return executor_main();
  return check_output(run_line(argc, argv));
}
