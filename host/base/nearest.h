/* The word of a list that a mistyped one most likely meant. */
#ifndef LUAFLOW_BASE_NEAREST_H
#define LUAFLOW_BASE_NEAREST_H

#include <stddef.h>

/* One of words, or NULL if none is near enough: one edit for a word of up to four letters, two or a third of its
 * letters for longer ones. Case does not count; NULL entries are skipped. */
const char *nearest(const char *word, const char *const *words, size_t count);

#endif
