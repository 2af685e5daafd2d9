/* Lines cut to a width in characters; escapes count nothing. */
#include "cli/line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plain.h"

static bool begins_character(char c) { return (c & 0xC0) != 0x80; }

int text_width(const char *text) {
  int width = 0;
  for (; *text; text++) width += begins_character(*text);
  return width;
}

static void put_raw(struct buf *out, const char *text) { buf_put(out, text, strlen(text)); }

void line_put(struct line *line, enum tone tone, const char *text) {
  if (tone != TONE_PLAIN) put_raw(line->out, style_tone(line->style, tone));
  char *clean = plain_copy(text, PLAIN_LINE);
  for (const char *c = clean; *c; c++) {
    if (begins_character(*c) && line->column >= line->style->width - 1) break;
    line->column += begins_character(*c);
    buf_put(line->out, c, 1);
  }
  free(clean);
  if (tone != TONE_PLAIN) put_raw(line->out, style_tone(line->style, TONE_PLAIN));
}

void line_printf(struct line *line, enum tone tone, const char *format, ...) {
  char *text;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) abort(); /* out of memory */
  line_put(line, tone, text);
  free(text);
}

void line_pad(struct line *line, int column) {
  while (line->column < column && line->column < line->style->width - 1) line_put(line, TONE_PLAIN, " ");
}

void line_end(struct line *line) {
  put_raw(line->out, "\n");
  line->column = 0;
}
