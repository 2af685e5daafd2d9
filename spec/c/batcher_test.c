/* Batches of results: their order and size, and the search for a result that the database refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "worker/work/batcher.h"

static void add(struct batcher *batcher, uint64_t number, enum verdict verdict) {
  struct task *task = xcalloc(1, sizeof *task);
  task->number = number;
  task_settle(task, verdict, "1", 1, -1);
  batcher_add(batcher, task);
}

static int size(const struct batch *batch) { return batch->completed + batch->failed + batch->released; }

static bool holds(const struct batch *batch, uint64_t number) {
  for (int i = 0; i < size(batch); i++)
    if (batch->tasks[i]->number == number) return true;
  return false;
}

static void groups_by_what_is_recorded(void **state) {
  struct batcher *batcher = batcher_new(10);
  (void)state;
  add(batcher, 1, VERDICT_RELEASED);
  add(batcher, 2, VERDICT_SNOOZED);
  add(batcher, 3, VERDICT_COMPLETED);
  add(batcher, 4, VERDICT_PERMANENT);
  add(batcher, 5, VERDICT_COMPLETED);
  struct batch batch = batcher_take(batcher);
  assert_int_equal(batch.completed, 2);
  assert_int_equal(batch.failed, 2);
  assert_int_equal(batch.released, 1);
  const uint64_t order[] = {3, 5, 2, 4, 1};
  for (int i = 0; i < 5; i++) assert_true(batch.tasks[i]->number == order[i]);
  assert_int_equal(batcher_count(batcher), 5);
  batcher_done(batcher, true);
  assert_int_equal(batcher_count(batcher), 0);
  batch = batcher_take(batcher);
  assert_int_equal(size(&batch), 0);
  batcher_free(batcher);
}

static void keeps_order_over_a_retry(void **state) {
  struct batcher *batcher = batcher_new(2);
  (void)state;
  for (uint64_t i = 1; i <= 3; i++) add(batcher, i, VERDICT_COMPLETED);
  batcher_take(batcher);
  batcher_retry(batcher);
  struct batch batch = batcher_take(batcher);
  assert_int_equal(size(&batch), 2);
  assert_true(batch.tasks[0]->number == 1 && batch.tasks[1]->number == 2);
  batcher_done(batcher, true);
  batch = batcher_take(batcher);
  assert_true(size(&batch) == 1 && batch.tasks[0]->number == 3);
  batcher_free(batcher); /* with a batch that is taken */
}

/* Ends each batch as a database would that cannot store the output of the culprit. */
static int record_all(struct batcher *batcher, uint64_t culprit, int *failures) {
  int sent = 0;
  for (;; sent++) {
    struct batch batch = batcher_take(batcher);
    if (size(&batch) == 0) return sent;
    assert_true(sent < 100);
    if (holds(&batch, culprit) && batch.completed > 0 && batch.failed == 0) {
      assert_true(batcher_refused(batcher, "bad", "worse"));
      continue;
    }
    for (int i = batch.completed; i < batch.completed + batch.failed; i++) {
      assert_true(batch.tasks[i]->number == culprit);
      assert_string_equal(batch.tasks[i]->text, "the output cannot be stored: bad: worse");
      ++*failures;
    }
    batcher_done(batcher, true);
  }
}

static void finds_the_culprit(void **state) {
  (void)state;
  for (uint64_t culprit = 1; culprit <= 20; culprit++) {
    struct batcher *batcher = batcher_new(16);
    int failures = 0;
    for (uint64_t i = 1; i <= 20; i++) add(batcher, i, VERDICT_COMPLETED);
    record_all(batcher, culprit, &failures);
    assert_int_equal(failures, 1);
    batcher_free(batcher);
  }
}

static void says_when_nothing_helps(void **state) {
  struct batcher *batcher = batcher_new(4);
  (void)state;
  add(batcher, 1, VERDICT_COMPLETED);
  batcher_take(batcher);
  assert_true(batcher_refused(batcher, "bad", NULL));
  struct batch batch = batcher_take(batcher);
  assert_int_equal(batch.failed, 1);
  assert_string_equal(batch.tasks[0]->text, "the output cannot be stored: bad");
  assert_true(batcher_refused(batcher, "bad", NULL));
  batch = batcher_take(batcher);
  assert_string_equal(batch.tasks[0]->text, "the database refused the result of this task");
  assert_false(batcher_refused(batcher, "bad", NULL));
  assert_int_equal(batcher_count(batcher), 1);
  batcher_free(batcher);
}

/* Takes batches of which those with a number up to bad are stuck, until nothing but what is set aside is left. */
static int record_around(struct batcher *batcher, uint64_t bad) {
  int tries = 0;
  for (;; tries++) {
    struct batch batch = batcher_take(batcher);
    bool is_stuck = false;
    if (size(&batch) == 0) return tries;
    for (uint64_t i = 1; i <= bad; i++) is_stuck = is_stuck || holds(&batch, i);
    if (is_stuck)
      batcher_stuck(batcher);
    else
      batcher_done(batcher, true);
  }
}

static void sets_aside_what_is_stuck(void **state) {
  struct batcher *batcher = batcher_new(64);
  (void)state;
  for (uint64_t i = 1; i <= 64; i++) add(batcher, i, VERDICT_COMPLETED);
  assert_true(record_around(batcher, 2) < 20);
  assert_int_equal(batcher_count(batcher), 2);
  assert_int_equal(batcher_aside(batcher), 2);
  add(batcher, 65, VERDICT_COMPLETED);
  assert_int_equal(record_around(batcher, 2), 1); /* nobody tries them with it */
  assert_int_equal(batcher_aside(batcher), 2);
  batcher_free(batcher);
}

static void tries_again_what_was_set_aside(void **state) {
  struct batcher *batcher = batcher_new(8);
  (void)state;
  for (uint64_t i = 1; i <= 8; i++) add(batcher, i, VERDICT_COMPLETED);
  record_around(batcher, 8);
  assert_int_equal(batcher_aside(batcher), 8);
  batcher_try_aside(batcher);
  struct batch batch = batcher_take(batcher);
  assert_int_equal(size(&batch), 8);
  batcher_retry(batcher); /* the connection was lost: once more */
  assert_int_equal(batcher_aside(batcher), 8);
  assert_int_equal(record_around(batcher, 8), 1); /* one batch fails, and that is all until they are tried again */
  for (int i = 0; i < 4; i++) {                   /* now half of them can be recorded, in smaller and smaller batches */
    batcher_try_aside(batcher);
    record_around(batcher, 4);
  }
  assert_true(batcher_aside(batcher) >= 4 && batcher_aside(batcher) < 8);
  batcher_try_aside(batcher);
  record_around(batcher, 0);
  assert_int_equal(batcher_count(batcher), 0);
  batcher_free(batcher);
}

static void sends_less_while_the_database_is_slow(void **state) {
  struct batcher *batcher = batcher_new(10);
  (void)state;
  for (uint64_t i = 1; i <= 10; i++) add(batcher, i, VERDICT_COMPLETED);
  const int sizes[] = {10, 5, 3, 2, 1, 1};
  struct batch batch;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    batch = batcher_take(batcher);
    assert_int_equal(size(&batch), sizes[i]);
    assert_true(holds(&batch, 1));
    batcher_slow(batcher);
  }
  batcher_take(batcher);
  batcher_done(batcher, false);
  batch = batcher_take(batcher);
  assert_int_equal(size(&batch), 1);
  assert_true(holds(&batch, 2));
  batcher_done(batcher, true);
  batch = batcher_take(batcher);
  assert_int_equal(size(&batch), 2);
  batcher_free(batcher);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sends_less_while_the_database_is_slow),
      cmocka_unit_test(groups_by_what_is_recorded),
      cmocka_unit_test(keeps_order_over_a_retry),
      cmocka_unit_test(finds_the_culprit),
      cmocka_unit_test(says_when_nothing_helps),
      cmocka_unit_test(sets_aside_what_is_stuck),
      cmocka_unit_test(tries_again_what_was_set_aside),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
