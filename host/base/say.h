/* The one way of words to standard output and standard error: what comes from elsewhere in them steers no terminal. */
#ifndef LUAFLOW_BASE_SAY_H
#define LUAFLOW_BASE_SAY_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"

/* Prints the text; of all that steers a terminal only line feeds and tabs are left. */
void say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a text of that length. */
void say_text(FILE *out, const char *text, size_t length);
/* "luaflow: MESSAGE" to standard error, and the hint if there is one; a line each. */
void say_err(const struct err *err);
/* JSON and a line feed. What steers a terminal is escaped, so the value is the same. */
void say_json(FILE *out, const char *text, size_t length);
/* As it is: of our own escapes, and of texts that were cleaned when it was put together, as cli/view/line does. */
void say_drawn(FILE *out, const struct buf *drawn);

#endif
