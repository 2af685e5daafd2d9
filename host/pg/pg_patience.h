/* How long the answer to a unit is waited for. Each kind of unit has its own limit, which grows with each answer that
 * does not come, so that a statement that really takes long ends some day; only that kind's own success makes it
 * smaller again. Pure: knows no clock. */
#ifndef LUAFLOW_PG_PG_PATIENCE_H
#define LUAFLOW_PG_PG_PATIENCE_H

#include <stdint.h>

struct pg_patience;

/* first_ms: the smallest limit. kinds: 0 to kinds - 1. */
struct pg_patience *pg_patience_new(int first_ms, int kinds);
void pg_patience_free(struct pg_patience *patience);
uint64_t pg_patience_ms(const struct pg_patience *patience, int kind);
/* The limit has passed: it is twice as long the next time, up to 64 times the first. */
void pg_patience_passed(struct pg_patience *patience, int kind);
/* The unit succeeded after so long: the limit is the smallest with half as much again to spare. */
void pg_patience_answered(struct pg_patience *patience, int kind, uint64_t took_ms);

#endif
