/* What belongs to the process and not to Lua: its folder, limits, signals, descriptors, environment. Handlers change it
 * through ffi and C modules, and all tasks of an executor share it. Knows neither tasks nor Lua. */
#ifndef LUAFLOW_EXECUTOR_SURROUNDINGS_H
#define LUAFLOW_EXECUTOR_SURROUNDINGS_H

#include <stdbool.h>

#include "base/buf.h"

struct surroundings;

/* As they are now. Owned by the caller. */
struct surroundings *surroundings_note(void);
void surroundings_free(struct surroundings *surroundings); /* NULL is ignored */
/* Puts back what has changed and appends its names to changed. False: something could not be put back, and lost has the
 * names of that. */
bool surroundings_restore(struct surroundings *surroundings, struct buf *changed, struct buf *lost);
/* True if hardly a descriptor is left. */
bool surroundings_lack_files(void);

#endif
