/* What the log says about a new generation: files, flows, steps, options. */
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

#define STEP(slug, rest)                                                                              \
  "{\"slug\":\"" slug                                                                                 \
  "\",\"stepType\":\"single\",\"dependencies\":[],\"whenUnmet\":\"skip\",\"whenExhausted\":\"fail\"," \
  "\"requiredInputPattern\":{\"defined\":false},\"forbiddenInputPattern\":{\"defined\":false},\"options\":{" rest "}}"
#define FLOW(slug, alias, options, steps, routing)                                                                 \
  "{\"flows\":[{\"slug\":\"" slug "\",\"alias\":\"" alias "\",\"retained\":false,\"shape\":{\"options\":{" options \
  "},\"steps\":[" steps "]},\"routing\":{" routing "}}]}"

static void expect(const char *before, const char *after, const char *said) {
  struct buf out = {0};
  changes_put_flows(&out, before, after);
  assert_string_equal(out.data ? out.data : "", said);
  buf_free(&out);
}

static void says_what_changed(void **state) {
  (void)state;
  const char *plain = FLOW("f", "f", "\"timeout\":60", STEP("a", "") "," STEP("b", ""), "\"a\":\"f\"");
  expect(plain, plain, "");
  expect(plain, "{\"flows\":[]}", "f: flow removed");
  expect("{\"flows\":[]}", plain, "f: flow added");
  expect(plain, FLOW("f", "f", "\"timeout\":60", STEP("b", "") "," STEP("c", ""), "\"a\":\"f\""),
         "f: shape: step removed: a; f: shape: step added: c");
  expect(plain, FLOW("f", "f", "\"timeout\":60", STEP("b", "") "," STEP("a", ""), "\"a\":\"f\""),
         "f: shape: steps in another order");
  expect(plain, FLOW("f", "g", "\"timeout\":7", STEP("a", "\"maxAttempts\":5") "," STEP("b", ""), "\"a\":\"q\""),
         "f: alias f -> g; f.a: max_attempts the flow's -> 5; f.a: routing: queue f -> q; f: timeout 60 -> 7");
}

static void says_which_part_of_a_step(void **state) {
  (void)state;
  char before[2048], after[2048];
  snprintf(before, sizeof before, "%s", FLOW("f", "f", "", STEP("a", ""), ""));
  snprintf(after, sizeof after, "%s", before);
  memcpy(strstr(after, "\"fail\""), "\"skip\"", 6);
  expect(before, after, "f.a: shape: when_exhausted changed");
  snprintf(after, sizeof after, "%s", before);
  memcpy(strstr(after, "false},\"forb"), "null }", 6);
  expect(before, after, "f.a: shape: only_if changed");
}

/* ---- files ---- */

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
  assert_true(source_take(&source, root, NULL, NULL, NULL, &err));
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
      cmocka_unit_test(says_what_changed),
      cmocka_unit_test(says_which_part_of_a_step),
      cmocka_unit_test(says_which_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
