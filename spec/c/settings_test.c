/* Settings: flags over the environment over defaults, units, ranges, and messages that say what is wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "base/settings.h"

enum { MOST_ARGUMENTS = 16 };

struct outcome {
  struct settings settings;
  struct err err;
  char *argv[MOST_ARGUMENTS];
  int argc;
  int rest;
  bool help;
  bool ok;
};

/* Reads a command line given as words, the first the command's name. */
static struct outcome read_words(unsigned command, bool stop_at_argument, const char *const *words) {
  struct outcome outcome = {0};
  for (; *words; words++) outcome.argv[outcome.argc++] = (char *)*words;
  outcome.ok = settings_read(&outcome.settings, command, stop_at_argument, outcome.argc, outcome.argv, &outcome.rest,
                             &outcome.help, &outcome.err);
  return outcome;
}

#define READ(command, ...) read_words((command), false, (const char *const[]){__VA_ARGS__, NULL})

static void assert_refused(struct outcome outcome, const char *message) {
  assert_false(outcome.ok);
  assert_int_equal(outcome.err.exit_code, EXIT_USAGE);
  assert_non_null(strstr(outcome.err.message, message));
}

static void test_defaults(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_WORKER, "worker", "flows");
  assert_true(outcome.ok);
  assert_null(outcome.settings.database);
  assert_int_equal(outcome.settings.executors, 0);
  assert_int_equal(outcome.settings.batch, 500);
  assert_int_equal(outcome.settings.grace, 30000);
  assert_int_equal(outcome.settings.executor_memory, 512 * SETTINGS_MB);
  assert_string_equal(outcome.settings.log_level, "info");
  assert_int_equal(outcome.argc - outcome.rest, 1);
}

static void test_short_output(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_TYPES, "types", "-o", "out", "flows");
  assert_true(outcome.ok);
  assert_string_equal(outcome.settings.output, "out");
  assert_int_equal(outcome.argc - outcome.rest, 1);
  assert_refused(READ(FOR_TYPES, "types", "flows", "-o"), "--output needs a value");
  assert_refused(READ(FOR_CHECK, "check", "-o", "out"), "unknown option -o");
  outcome = READ(FOR_TYPES, "types", "--", "-o");
  assert_true(outcome.ok);
  assert_null(outcome.settings.output);
}

static void test_list(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_ROLLOUT, "rollout", "begin", "--new", "a", "--new=b", "c");
  assert_true(outcome.ok);
  assert_int_equal(outcome.settings.new_functions.count, 2);
  assert_string_equal(outcome.settings.new_functions.items[0], "a");
  assert_string_equal(outcome.settings.new_functions.items[1], "b");
  assert_int_equal(outcome.argc - outcome.rest, 2);
  assert_refused(READ(FOR_ROLLOUT, "rollout", "--new", ""), "--new: the value is empty");
  char *many[2 * SETTING_LIST_MOST + 3];
  many[0] = "rollout";
  for (int i = 0; i <= SETTING_LIST_MOST; i++) many[2 * i + 1] = "--new", many[2 * i + 2] = "a";
  outcome.ok = settings_read(&outcome.settings, FOR_ROLLOUT, false, 2 * SETTING_LIST_MOST + 3, many, &outcome.rest,
                             &outcome.help, &outcome.err);
  assert_refused(outcome, "--new: a is one too many");
}

static void test_units(void **state) {
  (void)state;
  assert_int_equal(READ(FOR_WORKER, "worker", "--grace", "2m").settings.grace, 120000);
  assert_int_equal(READ(FOR_WORKER, "worker", "--grace=500ms").settings.grace, 500);
  assert_int_equal(READ(FOR_WORKER, "worker", "--grace", "0").settings.grace, 0);
  assert_int_equal(READ(FOR_WORKER, "worker", "--max-output", "64kB").settings.max_output, 65536);
  assert_int_equal(READ(FOR_WORKER, "worker", "--executor-memory", "1 GB").settings.executor_memory,
                   1024 * SETTINGS_MB);
}

static void test_values_out_of_range(void **state) {
  (void)state;
  assert_refused(READ(FOR_WORKER, "worker", "--executors", "0"),
                 "--executors must be a whole number from 1 to 1024, not 0");
  assert_refused(READ(FOR_WORKER, "worker", "--executors", "2x"), "--executors");
  assert_refused(READ(FOR_WORKER, "worker", "--grace", "-1s"), "--grace");
  assert_refused(READ(FOR_WORKER, "worker", "--grace", "99999999999999999999"), "--grace");
  assert_refused(READ(FOR_WORKER, "worker", "--grace", "9223372036854775807h"), "--grace");
  assert_refused(READ(FOR_WORKER, "worker", "--executor-memory", "1kB"), "from 32MB to 1024GB");
  assert_refused(READ(FOR_WORKER, "worker", "--log-level", "loud"), "debug|info|warn|error");
  assert_refused(READ(FOR_RUNS, "runs", "--flow", ""), "the value is empty");
}

static void test_environment(void **state) {
  (void)state;
  setenv("DATABASE_URL", "dbname=second", 1);
  assert_string_equal(READ(FOR_RUNS, "runs").settings.database, "dbname=second");
  setenv("LUAFLOW_DATABASE", "dbname=first", 1);
  assert_string_equal(READ(FOR_RUNS, "runs").settings.database, "dbname=first");
  assert_string_equal(READ(FOR_RUNS, "runs", "--database", "dbname=flag").settings.database, "dbname=flag");
  setenv("LUAFLOW_DATABASE", "", 1);
  assert_string_equal(READ(FOR_RUNS, "runs").settings.database, "dbname=second");
  unsetenv("LUAFLOW_DATABASE");
  unsetenv("DATABASE_URL");
  setenv("LUAFLOW_BATCH", "many", 1);
  assert_refused(READ(FOR_WORKER, "worker"), "LUAFLOW_BATCH must be a whole number from 1 to 10000, not many");
  assert_true(READ(FOR_WORKER, "worker", "--batch", "7").ok); /* the flag wins, so the variable is not looked at */
  assert_true(READ(FOR_RUNS, "runs").ok);                     /* takes no batch */
  unsetenv("LUAFLOW_BATCH");
}

static void test_flags_are_kept_to_be_passed_on(void **state) {
  (void)state;
  setenv("LUAFLOW_EXECUTORS", "3", 1);
  struct outcome outcome = READ(FOR_DEV, "dev", "--grace", "5s", "--reset");
  unsetenv("LUAFLOW_EXECUTORS");
  assert_int_equal(outcome.settings.executors, 3);
  assert_null(outcome.settings.from_flag[SET_executors]);
  assert_string_equal(outcome.settings.from_flag[SET_grace], "5s");
  assert_string_equal(outcome.settings.from_flag[SET_reset], "");
  assert_string_equal(setting_flag(SET_database_only), "--database-only");
  assert_true(setting_is_for(SET_grace, FOR_WORKER));
  assert_false(setting_is_for(SET_reset, FOR_WORKER));
}

static void test_options_stand_anywhere(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_START, "start", "greet", "--wait", "-", "--key", "k");
  assert_true(outcome.ok && outcome.settings.wait);
  assert_string_equal(outcome.settings.key, "k");
  assert_int_equal(outcome.argc - outcome.rest, 2);
  assert_string_equal(outcome.argv[outcome.rest], "greet");
  assert_string_equal(outcome.argv[outcome.rest + 1], "-");
  assert_string_equal(READ(FOR_START, "start", "--", "greet", "-x").argv[3], "-x");
}

static void test_a_negative_number_is_an_argument(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_START, "start", "greet", "-5", "--wait", "--key", "-1");
  assert_true(outcome.ok && outcome.settings.wait);
  assert_string_equal(outcome.settings.key, "-1");
  assert_int_equal(outcome.argc - outcome.rest, 2);
  assert_string_equal(outcome.argv[outcome.rest], "greet");
  assert_string_equal(outcome.argv[outcome.rest + 1], "-5");
}

static void test_a_script_keeps_its_own_options(void **state) {
  (void)state;
  const char *const words[] = {"lua", "--log-level", "debug", "x.lua", "--wait", "--help", NULL};
  struct outcome outcome = read_words(FOR_LUA, true, words);
  assert_true(outcome.ok);
  assert_false(outcome.help);
  assert_int_equal(outcome.argc - outcome.rest, 3);
  assert_string_equal(outcome.settings.log_level, "debug");
}

static void test_unknown_options(void **state) {
  (void)state;
  struct outcome outcome = READ(FOR_WORKER, "worker", "--batsh", "5", "flows");
  assert_refused(outcome, "worker: unknown option --batsh");
  assert_string_equal(outcome.err.hint, "did you mean --batch?");
  outcome = READ(FOR_DEV, "dev", "--res");
  assert_refused(outcome, "dev: unknown option --res");
  assert_string_equal(outcome.err.hint, "did you mean --reset?");
  outcome = READ(FOR_DEV, "dev", "--database=dbname=x");
  assert_refused(outcome, "dev: unknown option --database");
  assert_string_equal(outcome.err.hint, "dev always uses its own database; to serve another one, use luaflow worker");
  assert_refused(READ(FOR_RUNS, "runs", "--batch", "5"), "unknown option --batch");
  assert_refused(READ(FOR_START, "start", "x", "-y"), "unknown option -y");
  assert_refused(READ(FOR_START, "start", "x", "-hw"), "unknown option -hw");
  assert_refused(READ(FOR_START, "start", "x", "--key"), "--key needs a value");
  assert_refused(READ(FOR_START, "start", "x", "--wait=1"), "--wait takes no value");
  assert_refused(READ(FOR_START, "start", "x", "--help=1"), "--help takes no value");
}

static void test_help(void **state) {
  (void)state;
  assert_true(READ(FOR_RUNS, "runs", "--help").help);
  assert_true(READ(FOR_RUNS, "runs", "-h").help);
}

static void test_nearest(void **state) {
  (void)state;
  const char *const words[] = {"worker", "check", NULL, "start"};
  assert_string_equal(nearest("wroker", words, 4), "worker");
  assert_string_equal(nearest("strat", words, 4), "start");
  assert_null(nearest("elephant", words, 4));
  assert_null(nearest("", words, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_short_output),
      cmocka_unit_test(test_list),
      cmocka_unit_test(test_units),
      cmocka_unit_test(test_values_out_of_range),
      cmocka_unit_test(test_environment),
      cmocka_unit_test(test_flags_are_kept_to_be_passed_on),
      cmocka_unit_test(test_options_stand_anywhere),
      cmocka_unit_test(test_a_negative_number_is_an_argument),
      cmocka_unit_test(test_a_script_keeps_its_own_options),
      cmocka_unit_test(test_unknown_options),
      cmocka_unit_test(test_help),
      cmocka_unit_test(test_nearest),
  };
  return cmocka_run_group_tests_name("settings", tests, NULL, NULL);
}
