/* Text from anywhere, such as a handler's message, made safe to print: nothing in it steers a terminal. */
#ifndef LUAFLOW_BASE_PLAIN_H
#define LUAFLOW_BASE_PLAIN_H

#include "base/buf.h"

enum plain_kind {
  PLAIN_LINE,  /* every control character becomes a space */
  PLAIN_LINES, /* line feeds and tabs stay */
};

/* Appends the text of that length, in UTF-8. */
void plain_put(struct buf *out, const char *text, size_t length, enum plain_kind kind);
/* Appends JSON: what steers a terminal stands in its strings alone, where it is escaped. White space stays. */
void plain_put_json(struct buf *out, const char *text, size_t length);
/* plain_put for a terminated text; owned by the caller. */
char *plain_copy(const char *text, enum plain_kind kind);

#endif
