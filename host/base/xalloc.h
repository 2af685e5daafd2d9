/* Allocation that never fails: out of memory aborts the process, so no caller has a branch for it. */
#ifndef LUAFLOW_BASE_XALLOC_H
#define LUAFLOW_BASE_XALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
/* Zeroed memory for count objects of size bytes. */
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
/* A copy owned by the caller; NULL gives NULL. */
char *xstrdup(const char *text);
/* A terminated copy of length bytes, owned by the caller. */
char *xmemdup(const char *bytes, size_t length);
/* A formatted string owned by the caller. */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
