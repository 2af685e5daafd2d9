/* One step for each kind. */
#include "pg/pg_patience.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { STEPS = 6 };

struct pg_patience {
  int first_ms;
  int *steps; /* by kind; the limit is the first shifted by so much */
};

struct pg_patience *pg_patience_new(int first_ms, int kinds) {
  struct pg_patience *patience = xcalloc(1, sizeof *patience);
  patience->first_ms = first_ms;
  patience->steps = xcalloc((size_t)kinds, sizeof *patience->steps);
  return patience;
}

void pg_patience_free(struct pg_patience *patience) {
  free(patience->steps);
  free(patience);
}

uint64_t pg_patience_ms(const struct pg_patience *patience, int kind) {
  return (uint64_t)patience->first_ms << patience->steps[kind];
}

void pg_patience_passed(struct pg_patience *patience, int kind) {
  if (patience->steps[kind] < STEPS) patience->steps[kind]++;
}

void pg_patience_answered(struct pg_patience *patience, int kind, uint64_t took_ms) {
  int step = 0;
  while (step < STEPS && (uint64_t)patience->first_ms << step < took_ms + took_ms / 2) step++;
  patience->steps[kind] = step;
}
