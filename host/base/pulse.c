/* Atomics in a sealed memory file. */
#include "base/pulse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/utf8.h"

struct pulse {
  _Atomic uint64_t since_ms;   /* monotonic clock; written before the task */
  _Atomic uint64_t task;       /* number * 2, and 1 more while it runs */
  _Atomic uint64_t finalizer;  /* number of the call that runs; 0: none */
  _Atomic uint64_t finalizers; /* calls so far */
  _Atomic uint64_t largest;
  _Atomic int64_t largest_bytes;
  _Atomic uint64_t place_task; /* written after the place */
  char place[PULSE_PLACE_MAX];
  char finalizer_place[PULSE_FINALIZER_MAX];
};

_Static_assert(sizeof(struct pulse) <= 512, "a limit on the size of files (ulimit -f 1) applies to this memory too");
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "locks do not reach across processes");

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

struct pulse *pulse_open(int fd) {
  void *memory = mmap(NULL, sizeof(struct pulse), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

/* Sealed, so that no executor can shrink what its host reads. */
struct pulse *pulse_new(int *fd) {
  int memory = memfd_create("luaflow pulse", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return NULL;
  struct pulse *pulse = NULL;
  if (ftruncate(memory, sizeof *pulse) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    pulse = pulse_open(memory);
  if (pulse) {
    *fd = memory;
    return pulse;
  }
  int error = errno;
  close(memory);
  errno = error;
  return NULL;
}

void pulse_free(struct pulse *pulse) {
  if (pulse) munmap(pulse, sizeof *pulse);
}

void pulse_begin(struct pulse *pulse, uint64_t task) {
  atomic_store_explicit(&pulse->since_ms, now_ms(), memory_order_relaxed);
  atomic_store_explicit(&pulse->task, task << 1 | 1, memory_order_release);
}

void pulse_end(struct pulse *pulse) {
  uint64_t task = atomic_load_explicit(&pulse->task, memory_order_relaxed);
  atomic_store_explicit(&pulse->task, task & ~UINT64_C(1), memory_order_release);
}

void pulse_set_largest(struct pulse *pulse, uint64_t task, int64_t bytes) {
  atomic_store_explicit(&pulse->largest, task, memory_order_relaxed);
  atomic_store_explicit(&pulse->largest_bytes, bytes, memory_order_relaxed);
}

void pulse_set_place(struct pulse *pulse, uint64_t task, const char *place) {
  atomic_store_explicit(&pulse->place_task, 0, memory_order_release);
  strncpy(pulse->place, place, sizeof pulse->place - 1);
  atomic_store_explicit(&pulse->place_task, task, memory_order_release);
}

static void copy_clean(char *out, const char *shared, size_t size) {
  char copy[PULSE_PLACE_MAX];
  struct buf clean = {0};
  memcpy(copy, shared, size);
  utf8_clean(&clean, copy, strnlen(copy, size - 1), size - 1);
  memcpy(out, clean.data ? clean.data : "", clean.len);
  out[clean.len] = '\0';
  buf_free(&clean);
}

void pulse_place(const struct pulse *pulse, uint64_t task, char place[PULSE_PLACE_MAX]) {
  *place = '\0';
  if (atomic_load_explicit(&pulse->place_task, memory_order_acquire) != task) return;
  copy_clean(place, pulse->place, sizeof pulse->place);
}

uint64_t pulse_begin_finalizer(struct pulse *pulse, const char *place) {
  uint64_t outer = atomic_load_explicit(&pulse->finalizer, memory_order_relaxed);
  uint64_t number = atomic_load_explicit(&pulse->finalizers, memory_order_relaxed) + 1;
  strncpy(pulse->finalizer_place, place, sizeof pulse->finalizer_place - 1);
  atomic_store_explicit(&pulse->finalizers, number, memory_order_relaxed);
  atomic_store_explicit(&pulse->finalizer, number, memory_order_release);
  return outer;
}

void pulse_end_finalizer(struct pulse *pulse, uint64_t outer) {
  atomic_store_explicit(&pulse->finalizer, outer, memory_order_release);
}

void pulse_finalizer_place(const struct pulse *pulse, char place[PULSE_FINALIZER_MAX]) {
  copy_clean(place, pulse->finalizer_place, sizeof pulse->finalizer_place);
}

struct pulse_state pulse_read(const struct pulse *pulse) {
  uint64_t task = atomic_load_explicit(&pulse->task, memory_order_acquire);
  uint64_t since = atomic_load_explicit(&pulse->since_ms, memory_order_acquire);
  uint64_t again = atomic_load_explicit(&pulse->task, memory_order_acquire);
  struct pulse_state state = {.task = again >> 1, .running = again & 1};
  uint64_t now = now_ms();
  if (state.running && again == task && now > since) state.run_ms = now - since;
  state.finalizer = atomic_load_explicit(&pulse->finalizer, memory_order_acquire);
  state.largest = atomic_load_explicit(&pulse->largest, memory_order_relaxed);
  state.largest_bytes = atomic_load_explicit(&pulse->largest_bytes, memory_order_relaxed);
  return state;
}
