/* --env-file: what is read, what is refused, and what lies over the environment. */
#include "worker/source/env_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static bool read_bytes(struct env_file *file, const char *bytes, size_t length, struct err *err) {
  char path[] = "/tmp/env_file_test.XXXXXX";
  int fd = mkstemp(path);
  assert_int_equal(write(fd, bytes, length), length);
  close(fd);
  bool good = env_file_read(file, &(struct env_place){path, "--env-file"}, err);
  unlink(path);
  return good;
}

static bool read_text(struct env_file *file, const char *text, struct err *err) {
  return read_bytes(file, text, strlen(text), err);
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

static void leaves_out_marks_and_comments(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"\xEF\xBB\xBF"
       "A=1\r\n",
       "A=1"},
      {"A=1 # one", "A=1"},
      {"A=1#one", "A=1#one"},
      {"A=# none", "A="},
      {"A='1 # one' # two", "A=1 # one"},
      {"A=\"1\"\t# say \"two\"", "A=1"},
      {"A=\"{\"b\": \"#\"}\"", "A={\"b\": \"#\"}"},
      {"A=''", "A="},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    struct env_file file;
    struct err err = {0};
    assert_true(read_text(&file, pairs[i][0], &err));
    assert_int_equal(file.count, 1);
    assert_string_equal(file.variables[0], pairs[i][1]);
    env_file_free(&file);
  }
}

/* Opening a pipe waits for somebody who writes. */
static void refuses_what_is_no_file(void **state) {
  (void)state;
  char pipe[] = "/tmp/env_file_test.XXXXXX";
  close(mkstemp(pipe));
  unlink(pipe);
  assert_int_equal(mkfifo(pipe, 0600), 0);
  const char *const others[] = {pipe, "/dev/zero", "/tmp"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    struct env_file file;
    struct err err = {0};
    alarm(10);
    assert_false(env_file_read(&file, &(struct env_place){others[i], "--env-file"}, &err));
    alarm(0);
    assert_non_null(strstr(err.message, "it is not a regular file"));
    assert_int_equal(err.exit_code, EXIT_USAGE);
  }
  unlink(pipe);
}

static void refuses_what_would_be_cut(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
    const char *why;
  } bad[] = {{"A=1\nB=2\0C=secret", 15, "NUL"},
             {"A=1\nB=\"secret", 13, "quotation mark"},
             {"A=1\nB='secret' x", 16, "quotation mark"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct env_file file;
    struct err err = {0};
    assert_false(read_bytes(&file, bad[i].bytes, bad[i].length, &err));
    assert_non_null(strstr(err.message, ":2: "));
    assert_non_null(strstr(err.message, bad[i].why));
    assert_null(strstr(err.message, "secret"));
    env_file_free(&file);
  }
}

static void names_a_missing_file(void **state) {
  (void)state;
  struct env_file file;
  struct err err = {0};
  assert_false(env_file_read(&file, &(struct env_place){"/nowhere/env", "LUAFLOW_ENV_FILE"}, &err));
  assert_non_null(strstr(err.message, "cannot read LUAFLOW_ENV_FILE /nowhere/env: "));
  assert_null(strstr(err.hint, "counts from"));
  env_file_free(&file);
  assert_int_equal(chdir("/tmp"), 0);
  assert_false(env_file_read(&file, &(struct env_place){"nowhere.env", "--env-file"}, &err));
  assert_non_null(strstr(err.message, "cannot read --env-file nowhere.env: "));
  assert_non_null(strstr(err.hint, "; this one counts from /tmp"));
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
      cmocka_unit_test(leaves_out_marks_and_comments),
      cmocka_unit_test(refuses_what_is_no_file),
      cmocka_unit_test(refuses_what_would_be_cut),
      cmocka_unit_test(names_a_missing_file),
      cmocka_unit_test(lies_over_the_environment),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
