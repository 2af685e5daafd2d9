/* The harness of the fuzz drivers: makes inputs out of seeds by a seeded generator, tries them for a while, and keeps
 * the one that ends the program. Built with the address sanitizer, which tells it of the end.
 *
 *   NAME_fuzz [--seconds N] [--seed N] [--keep FOLDER]   tries inputs
 *   NAME_fuzz FILE...                                    tries these */
#include "fuzz.h"

#include <fcntl.h>
#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { INPUT_MAX = 4096, POOL_SIZE = 512, CHANGES_MAX = 6, PATIENCE_S = 20, WORDS_CHANCE = 4 };

struct input {
  uint8_t bytes[INPUT_MAX];
  size_t length;
};

static struct input pool[POOL_SIZE]; /* the seeds, then what was accepted */
static size_t pool_count;
static size_t seed_count;
static struct input current;
static uint64_t generator; /* makes inputs */
static uint64_t within;    /* fuzz_random */
static unsigned long tried, tried_at_last_look;
static char kept_path[4096];
static const char *program;

static uint32_t next(uint64_t *state) { /* xorshift64* */
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 32);
}

static size_t below(size_t limit) { return limit ? next(&generator) % limit : 0; }

uint32_t fuzz_random(void) { return next(&within); }

/* ---- what ends the program ---- */

static void keep_input(void) {
  static bool kept;
  if (kept || !*kept_path) return;
  kept = true;
  int fd = open(kept_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0 || write(fd, current.bytes, current.length) != (ssize_t)current.length) return;
  close(fd);
  dprintf(STDOUT_FILENO, "not ok - %s: input %lu; repeat it with: %s %s\n", program, tried, program, kept_path);
}

static void on_abort(int signal_number) {
  (void)signal_number;
  keep_input();
}

_Noreturn void fuzz_fail(const char *file, int line, const char *property) {
  dprintf(STDOUT_FILENO, "# %s:%d: does not hold: %s\n", file, line, property);
  abort();
}

/* An input that takes as long as this is a fault too. */
static void on_look(int signal_number) {
  (void)signal_number;
  if (tried == tried_at_last_look) fuzz_fail(__FILE__, __LINE__, "an input is done in time");
  tried_at_last_look = tried;
}

static void watch(void) {
  const struct itimerval often = {{PATIENCE_S, 0}, {PATIENCE_S, 0}};
  __sanitizer_set_death_callback(keep_input);
  signal(SIGABRT, on_abort);
  signal(SIGALRM, on_look);
  setitimer(ITIMER_REAL, &often, NULL);
}

/* ---- inputs ---- */

static void insert(struct input *input, size_t at, const void *bytes, size_t length) {
  if (length > INPUT_MAX - input->length) length = INPUT_MAX - input->length;
  memmove(input->bytes + at + length, input->bytes + at, input->length - at);
  memcpy(input->bytes + at, bytes, length);
  input->length += length;
}

static void cut(struct input *input, size_t at, size_t length) {
  memmove(input->bytes + at, input->bytes + at + length, input->length - at - length);
  input->length -= length;
}

static void put_number(struct input *input, size_t at) {
  static const uint32_t numbers[] = {0,
                                     1,
                                     2,
                                     15,
                                     16,
                                     17,
                                     127,
                                     128,
                                     255,
                                     256,
                                     65535,
                                     65536,
                                     1u << 30,
                                     (1u << 30) + 1,
                                     INT32_MAX,
                                     (uint32_t)INT32_MIN,
                                     UINT32_MAX - 1,
                                     UINT32_MAX};
  uint32_t number = below(2) ? numbers[below(sizeof numbers / sizeof *numbers)] : next(&generator);
  size_t width = (size_t)1 << below(3);
  if (at + width <= input->length) memcpy(input->bytes + at, &number, width);
}

static size_t count_of(const struct fuzz_seed *list) {
  size_t count = 0;
  while (list[count].bytes) count++;
  return count;
}

static void change(struct input *input) {
  size_t at = below(input->length + 1), rest = input->length - at;
  const struct input *other = &pool[below(pool_count)];
  const struct fuzz_seed *word = &fuzz_words[below(count_of(fuzz_words))];
  switch (below(9)) {
    case 0: /* a bit */
      if (rest) input->bytes[at] ^= (uint8_t)(1u << below(8));
      break;
    case 1: /* a byte */
      if (rest) input->bytes[at] = (uint8_t)next(&generator);
      break;
    case 2: /* a length, or another number */
      put_number(input, at);
      break;
    case 3: /* the end is missing */
      input->length = at;
      break;
    case 4: /* a piece is missing */
      cut(input, at, below(rest + 1));
      break;
    case 5: { /* a piece comes again */
      struct input copy = *input;
      insert(input, below(input->length + 1), copy.bytes + at, below(rest + 1));
      break;
    }
    case 6: { /* a piece of another input */
      size_t from = below(other->length + 1);
      insert(input, at, other->bytes + from, below(other->length - from + 1));
      break;
    }
    default:
      insert(input, at, word->bytes, word->length);
      break;
  }
}

static void make_input(void) {
  current = pool[below(pool_count)];
  for (size_t changes = below(CHANGES_MAX) + 1; changes > 0; changes--) change(&current);
}

static void add_to_pool(const struct input *input) {
  if (pool_count < POOL_SIZE)
    pool[pool_count++] = *input;
  else if (seed_count < POOL_SIZE)
    pool[seed_count + below(POOL_SIZE - seed_count)] = *input;
}

static bool try_current(void) {
  uint8_t *bytes = malloc(current.length ? current.length : 1);
  if (!bytes) abort();
  memcpy(bytes, current.bytes, current.length);
  within = UINT64_C(0x9E3779B97F4A7C15) + current.length;
  for (size_t i = 0; i < current.length; i++) within = within * 31 + bytes[i];
  if (!within) within = 1;
  tried++;
  bool accepted = fuzz_one(bytes, current.length);
  free(bytes);
  return accepted;
}

static int try_files(char **paths) {
  for (; *paths; paths++) {
    FILE *file = fopen(*paths, "rbe");
    if (!file) {
      perror(*paths);
      return EXIT_FAILURE;
    }
    current.length = fread(current.bytes, 1, INPUT_MAX, file);
    fclose(file);
    printf("ok - %s: %s %s\n", program, *paths, try_current() ? "is accepted" : "is refused");
  }
  return EXIT_SUCCESS;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int try_for(double seconds) {
  unsigned long accepted = 0;
  seed_count = count_of(fuzz_seeds);
  for (size_t i = 0; i < seed_count; i++) {
    current.length = fuzz_seeds[i].length;
    memcpy(current.bytes, fuzz_seeds[i].bytes, current.length);
    add_to_pool(&current);
    try_current();
  }
  for (double end = now() + seconds; now() < end;) {
    make_input();
    if (!try_current()) continue;
    accepted++;
    add_to_pool(&current);
  }
  printf("ok - %s: %lu inputs in %g s, %lu accepted\n", program, tried, seconds, accepted);
  return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
  double seconds = 1;
  int at = 1;
  program = argv[0];
  generator = 1;
  for (; at + 1 < argc && strncmp(argv[at], "--", 2) == 0; at += 2) {
    if (strcmp(argv[at], "--seconds") == 0) seconds = atof(argv[at + 1]);
    if (strcmp(argv[at], "--seed") == 0) generator = strtoull(argv[at + 1], NULL, 10);
    if (strcmp(argv[at], "--keep") == 0) {
      const char *slash = strrchr(program, '/');
      snprintf(kept_path, sizeof kept_path, "%s/%s.input", argv[at + 1], slash ? slash + 1 : program);
    }
  }
  generator = generator * UINT64_C(0x9E3779B97F4A7C15) + 1;
  setvbuf(stdout, NULL, _IOLBF, 0);
  watch();
  return at < argc ? try_files(argv + at) : try_for(seconds);
}
