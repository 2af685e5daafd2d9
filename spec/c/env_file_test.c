/* --env-file: what is read, what is refused, and what lies over the environment. */
#include "worker/env_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool read_text(struct env_file *file, const char *text, struct err *err) {
  char path[] = "/tmp/env_file_test.XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  close(fd);
  bool good = env_file_read(file, path, err);
  unlink(path);
  return good;
}

static void reads_lines(void **state) {
  (void)state;
  struct env_file file;
  struct err err;
  assert_true(read_text(&file, "A=1\n\n# no\n B = two words \nC=\"q=1 \"\nD=\nA=3", &err));
  assert_int_equal(file.count, 4);
  assert_string_equal(file.variables[0], "A=3");
  assert_string_equal(file.variables[1], "B=two words");
  assert_string_equal(file.variables[2], "C=q=1 ");
  assert_string_equal(file.variables[3], "D=");
  env_file_free(&file);
}

static void refuses_without_quoting(void **state) {
  (void)state;
  const char *const bad[] = {"A=1\nsecret", "A=1\n2A=secret", "A=1\n=secret", "A=1\nB C=secret"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct env_file file;
    struct err err = {0};
    assert_false(read_text(&file, bad[i], &err));
    assert_non_null(strstr(err.message, ":2: "));
    assert_null(strstr(err.message, "secret"));
    assert_int_equal(err.exit_code, EXIT_USAGE);
    env_file_free(&file);
  }
}

static void names_a_missing_file(void **state) {
  (void)state;
  struct env_file file;
  struct err err = {0};
  assert_false(env_file_read(&file, "/nowhere/env", &err));
  assert_non_null(strstr(err.message, "/nowhere/env"));
  env_file_free(&file);
}

static bool keep_not_p(const char *variable) { return *variable != 'P'; }

static void lies_over_the_environment(void **state) {
  (void)state;
  struct env_file file;
  struct err err;
  char *environment[] = {"A=old", "PGHOST=x", "AB=stays", NULL};
  assert_true(read_text(&file, "A=new\nPATH=given", &err));
  char **merged = env_file_merge(&file, environment, keep_not_p);
  assert_string_equal(merged[0], "A=new");
  assert_string_equal(merged[1], "PATH=given");
  assert_string_equal(merged[2], "AB=stays");
  assert_null(merged[3]);
  free(merged);
  env_file_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_lines),
      cmocka_unit_test(refuses_without_quoting),
      cmocka_unit_test(names_a_missing_file),
      cmocka_unit_test(lies_over_the_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
