/* How output looks on what it goes to: colour, characters, size; and durations as people say them. */
#ifndef LUAFLOW_CLI_VIEW_STYLE_H
#define LUAFLOW_CLI_VIEW_STYLE_H

#include <stdbool.h>
#include <stddef.h>

enum tone { TONE_PLAIN, TONE_GOOD, TONE_BAD, TONE_BUSY, TONE_FAINT };

struct style {
  bool terminal;
  bool colour;  /* false when NO_COLOR is set or this is no terminal */
  bool unicode; /* the locale is UTF-8 and this is a terminal */
  int width;    /* columns; large when this is no terminal */
  int height;
};

struct style style_of(int fd);
/* The escape that begins a tone; "" without colour. TONE_PLAIN ends one. */
const char *style_tone(const struct style *style, enum tone tone);

/* "420 ms", "3.2 s", "4 min 10 s", "2 h 5 min", "3 d 4 h". */
void format_duration(char *out, size_t size, long long ms);

#endif
