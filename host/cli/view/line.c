/* Lines cut to a width in columns, with a mark where something is missing; escapes count nothing. */
#include "cli/view/line.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/width.h"

static void put_raw(struct buf *out, const char *text) { buf_put(out, text, strlen(text)); }

static int room_of(const struct line *line) { return line->style->width - 1 - line->column; }

/* The width without the spaces at the end, which may be lost. */
static int width_of_words(const char *text) {
  int width = width_of(text);
  for (size_t length = strlen(text); length > 0 && text[length - 1] == ' '; length--) width--;
  return width;
}

static void put_columns(struct line *line, const char *text, int most) {
  int columns;
  buf_put(line->out, text, width_prefix(text, most, &columns));
  line->column += columns;
}

void line_put_within(struct line *line, enum tone tone, const char *text, int most) {
  if (most > room_of(line)) most = room_of(line);
  if (most <= 0) return;
  char *clean = plain_copy(text, PLAIN_LINE);
  bool cut = width_of_words(clean) > most;
  if (tone != TONE_PLAIN) put_raw(line->out, style_tone(line->style, tone));
  put_columns(line, clean, cut ? most - 1 : most);
  if (cut) put_columns(line, line->style->unicode ? "…" : "~", 1);
  if (tone != TONE_PLAIN) put_raw(line->out, style_tone(line->style, TONE_PLAIN));
  free(clean);
}

void line_put(struct line *line, enum tone tone, const char *text) { line_put_within(line, tone, text, INT_MAX); }

void line_put_whole(struct line *line, enum tone tone, const char *text) {
  line_put_within(line, tone, text, width_of_words(text) <= room_of(line) ? INT_MAX : 1);
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
