/* The shared page: what one process writes another reads, also once the writer is dead. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pulse.h"

/* The child does what an executor does until it crashes in its second task. */
static void crash_in_second_task(int fd) {
  struct pulse *pulse = pulse_open(fd);
  if (!pulse) _exit(1);
  pulse_begin(pulse, 1);
  pulse_end(pulse);
  pulse_set_largest(pulse, 1, 5 << 20);
  pulse_begin(pulse, UINT64_C(1) << 40);
  usleep(20000);
  kill(getpid(), SIGKILL);
}

static void tells_what_a_dead_process_ran(void **state) {
  int fd, status;
  struct pulse *pulse = pulse_new(&fd);
  (void)state;
  assert_non_null(pulse);
  assert_false(pulse_read(pulse).running);
  assert_int_equal(pulse_read(pulse).task, 0);
  pid_t child = fork();
  if (child == 0) crash_in_second_task(fd);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFSIGNALED(status));
  struct pulse_state seen = pulse_read(pulse);
  assert_true(seen.running);
  assert_true(seen.task == UINT64_C(1) << 40);
  assert_true(seen.run_ms >= 20 && seen.run_ms < 10000);
  assert_int_equal(seen.largest, 1);
  assert_int_equal(seen.largest_bytes, 5 << 20);
  close(fd);
  pulse_free(pulse);
}

static void tells_where_a_task_is(void **state) {
  int fd;
  struct pulse *pulse = pulse_new(&fd);
  char place[PULSE_PLACE_MAX], longer[2 * PULSE_PLACE_MAX];
  (void)state;
  assert_non_null(pulse);
  pulse_place(pulse, 7, place);
  assert_string_equal(place, "");
  pulse_set_place(pulse, 7, "flows/a.lua:3");
  pulse_place(pulse, 7, place);
  assert_string_equal(place, "flows/a.lua:3");
  pulse_place(pulse, 8, place);
  assert_string_equal(place, "");
  pulse_set_place(pulse, 8, "a\xff");
  pulse_place(pulse, 8, place);
  assert_string_equal(place, "a\xef\xbf\xbd");
  memset(longer, '\xff', sizeof longer);
  longer[sizeof longer - 1] = '\0';
  pulse_set_place(pulse, 9, longer);
  pulse_place(pulse, 9, place);
  assert_true(strlen(place) < PULSE_PLACE_MAX);
  close(fd);
  pulse_free(pulse);
}

static void tells_which_call_of_a_finalizer_runs(void **state) {
  int fd;
  struct pulse *pulse = pulse_new(&fd);
  char place[PULSE_FINALIZER_MAX], long_place[2 * PULSE_FINALIZER_MAX];
  (void)state;
  assert_non_null(pulse);
  assert_int_equal(pulse_read(pulse).finalizer, 0);
  uint64_t none = pulse_begin_finalizer(pulse, "flows/a.lua:3");
  uint64_t first = pulse_read(pulse).finalizer;
  assert_int_not_equal(first, 0);
  memset(long_place, '\xff', sizeof long_place);
  long_place[sizeof long_place - 1] = '\0';
  uint64_t outer = pulse_begin_finalizer(pulse, long_place);
  assert_int_not_equal(pulse_read(pulse).finalizer, first);
  pulse_finalizer_place(pulse, place);
  assert_true(strlen(place) < sizeof place);
  pulse_end_finalizer(pulse, outer);
  assert_int_equal(pulse_read(pulse).finalizer, first);
  pulse_end_finalizer(pulse, none);
  assert_int_equal(pulse_read(pulse).finalizer, 0);
  pulse_begin_finalizer(pulse, "flows/a.lua:3");
  assert_int_not_equal(pulse_read(pulse).finalizer, first);
  pulse_finalizer_place(pulse, place);
  assert_string_equal(place, "flows/a.lua:3");
  close(fd);
  pulse_free(pulse);
}

static void remembers_who_ran_last(void **state) {
  int fd;
  struct pulse *pulse = pulse_new(&fd);
  (void)state;
  assert_non_null(pulse);
  pulse_begin(pulse, 7);
  assert_true(pulse_read(pulse).running);
  pulse_end(pulse);
  struct pulse_state seen = pulse_read(pulse);
  assert_false(seen.running);
  assert_int_equal(seen.task, 7);
  assert_int_equal(seen.run_ms, 0);
  close(fd);
  pulse_free(pulse);
}

static void cannot_be_shrunk(void **state) {
  int fd;
  struct pulse *pulse = pulse_new(&fd);
  (void)state;
  assert_non_null(pulse);
  assert_int_equal(ftruncate(fd, 0), -1);
  assert_int_equal(errno, EPERM);
  close(fd);
  pulse_free(pulse);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tells_what_a_dead_process_ran),
      cmocka_unit_test(tells_where_a_task_is),
      cmocka_unit_test(tells_which_call_of_a_finalizer_runs),
      cmocka_unit_test(remembers_who_ran_last),
      cmocka_unit_test(cannot_be_shrunk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
