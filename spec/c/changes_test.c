/* What the log says about the files of a new generation. */
#include "worker/source/changes.h"

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

static char root[] = "/tmp/changes_test.XXXXXX";

static void write_file(const char *name, const char *text) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static struct source take(void) {
  struct source source;
  struct err err;
  static const struct env_place nowhere;
  assert_true(source_take(&source, root, &nowhere, NULL, NULL, &err));
  return source;
}

static void says_which_files(void **state) {
  (void)state;
  char path[64];
  struct buf out = {0};
  assert_non_null(mkdtemp(root));
  write_file("a.lua", "return 1");
  write_file("b.lua", "return 1");
  write_file("c.lua", "");
  write_file("c.txt", "");
  struct source before = take(), same = take();
  assert_true(source_same(&before, &same));
  write_file("a.lua", "return 2");
  write_file("a!.lua", "return 1");
  write_file("c.txt", "other");
  snprintf(path, sizeof path, "%s/b.lua", root);
  unlink(path);
  struct source after = take();
  assert_false(source_same(&before, &after));
  changes_put_files(&out, &before, &after);
  assert_string_equal(out.data, "a!.lua added; a.lua changed; b.lua removed");
  buf_free(&out);
  source_free(&before);
  source_free(&same);
  source_free(&after);
  static const char *const names[] = {"a.lua", "a!.lua", "c.lua", "c.txt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/%s", root, names[i]);
    unlink(path);
  }
  assert_int_equal(rmdir(root), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(says_which_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
