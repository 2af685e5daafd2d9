/* One page of memory that an executor shares with its host: which task it runs and since when, where that is if the
 * host has asked, whether a finalizer runs, and which task holds most memory. The executor writes it before any Lua
 * of a task runs and after; the host reads it at any time, and also once the executor is dead. */
#ifndef LUAFLOW_BASE_PULSE_H
#define LUAFLOW_BASE_PULSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PULSE_PLACE_MAX = 352, PULSE_FINALIZER_MAX = 96 };

struct pulse;

/* What the host sees. */
struct pulse_state {
  uint64_t task;      /* that runs, or that ran last; 0: none ever did */
  bool running;       /* false: the executor is in its loop */
  uint64_t run_ms;    /* for how long it has been running without a pause; 0 unless running */
  uint64_t finalizer; /* the number of the call of a finalizer that runs; 0: none does */
  uint64_t largest;   /* the task that holds most memory of those that wait; 0: none holds much */
  int64_t largest_bytes;
};

/* Creates the memory; *fd is what the executor inherits, owned by the caller. NULL with errno set if there is none. */
struct pulse *pulse_new(int *fd) __attribute__((warn_unused_result));
/* Maps the inherited memory. NULL with errno set. */
struct pulse *pulse_open(int fd) __attribute__((warn_unused_result));
void pulse_free(struct pulse *pulse); /* unmaps it; NULL is ignored */

void pulse_begin(struct pulse *pulse, uint64_t task); /* from now on this task runs */
void pulse_end(struct pulse *pulse);                  /* back in the loop */
void pulse_set_largest(struct pulse *pulse, uint64_t task, int64_t bytes);
/* A finalizer is called, written at place: a terminated text. Returns what the end is to be given: they can be
 * nested. */
uint64_t pulse_begin_finalizer(struct pulse *pulse, const char *place);
void pulse_end_finalizer(struct pulse *pulse, uint64_t outer);
/* The place of the last one that was called, as pulse_place gives it. */
void pulse_finalizer_place(const struct pulse *pulse, char place[PULSE_FINALIZER_MAX]);
/* Where that task's code is: a terminated text of less than PULSE_PLACE_MAX bytes. */
void pulse_set_place(struct pulse *pulse, uint64_t task, const char *place);
/* The place that was set last, if it is of that task; else "". It comes from a process that may write anything there:
 * terminated, and without bytes that are no UTF-8. */
void pulse_place(const struct pulse *pulse, uint64_t task, char place[PULSE_PLACE_MAX]);
struct pulse_state pulse_read(const struct pulse *pulse);

#endif
