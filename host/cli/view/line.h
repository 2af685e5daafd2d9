/* One line of output that never grows wider than it may, whatever colours and texts go into it. */
#ifndef LUAFLOW_CLI_VIEW_LINE_H
#define LUAFLOW_CLI_VIEW_LINE_H

#include "base/buf.h"
#include "cli/view/style.h"

struct line {
  struct buf *out;
  const struct style *style;
  int column; /* of the terminal, so far */
};

/* Appends the text, or what of it fits and a mark; control characters become spaces. */
void line_put(struct line *line, enum tone tone, const char *text);
void line_printf(struct line *line, enum tone tone, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with room for so many columns at most. */
void line_put_within(struct line *line, enum tone tone, const char *text, int most);
/* Appends a text of which a part would mislead, such as a duration: all of it or just the mark. */
void line_put_whole(struct line *line, enum tone tone, const char *text);
/* Spaces up to a column. */
void line_pad(struct line *line, int column);
/* Ends it and begins the next. */
void line_end(struct line *line);
#endif
