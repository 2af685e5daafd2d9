/* What a fuzz driver gives: the seeds that inputs are made of, and what is done with one input. fuzz.c has main. */
#ifndef LUAFLOW_SPEC_FUZZ_H
#define LUAFLOW_SPEC_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_seed {
  const char *bytes;
  size_t length;
};

/* A seed of a literal, NUL bytes included. */
#define FUZZ_SEED(literal) \
  { literal, sizeof literal - 1 }

/* Ended by a seed without bytes. The first are whole inputs; words are put into them. */
extern const struct fuzz_seed fuzz_seeds[];
extern const struct fuzz_seed fuzz_words[];

/* Does what is to be tried with an input, in memory of exactly that length. True: it was accepted, so that it is
 * worth changing further. */
bool fuzz_one(const uint8_t *bytes, size_t length);

/* Where a property does not hold: says so, keeps the input and ends the program. */
_Noreturn void fuzz_fail(const char *file, int line, const char *property);
#define FUZZ_CHECK(property) \
  if (!(property)) fuzz_fail(__FILE__, __LINE__, #property)

/* A pseudo-random number that the input and the calls before it since its begin give. */
uint32_t fuzz_random(void);

#endif
