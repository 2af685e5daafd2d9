/* How many columns of a terminal text takes: wide characters take two, combining ones none. */
#ifndef LUAFLOW_BASE_WIDTH_H
#define LUAFLOW_BASE_WIDTH_H

#include <stddef.h>

/* The columns of a terminated text. Characters that steer a terminal count as the space that base/plain makes of
 * them. */
int width_of(const char *text);
/* The length in bytes of the longest beginning that takes at most so many columns; *columns is what it takes. Marks
 * that combine with its last character belong to it. */
size_t width_prefix(const char *text, int most, int *columns);

#endif
