/* What the steps of a reload share. */
#ifndef LUAFLOW_WORKER_RELOAD_INSIDE_H
#define LUAFLOW_WORKER_RELOAD_INSIDE_H

#include <stdbool.h>

struct life;
struct source;

/* Writes down why the attempt failed. */
void reload_note_refusal(struct life *life, int step, const char *error, const char *hint);
/* Writes down what it was loaded from; NULL: unknown. */
void reload_note_source(struct life *life, const struct source *source);
/* Files were changed while they were read or loaded: nobody knows what was read, and another look follows. */
bool reload_is_moving(const struct life *life);
/* What is reported as the last error of a reload; NULL: there is none. */
void reload_set_error(struct life *life, const char *error);

#endif
