/* Terminal or not, and what follows from it. */
#include "cli/view/style.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct style style_of(int fd) {
  struct style style = {.terminal = isatty(fd) == 1, .width = INT_MAX, .height = INT_MAX};
  if (!style.terminal) return style;
  setlocale(LC_CTYPE, "");
  const char *term = getenv("TERM");
  bool dumb = !term || strcmp(term, "dumb") == 0;
  style.colour = !dumb && !getenv("NO_COLOR");
  style.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  setlocale(LC_CTYPE, "C");
  struct winsize size;
  bool known = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  style.width = known ? size.ws_col : 80;
  style.height = known ? size.ws_row : 24;
  style.terminal = !dumb; /* nothing can be redrawn on a dumb one */
  return style;
}

const char *style_tone(const struct style *style, enum tone tone) {
  if (!style->colour) return "";
  switch (tone) {
    case TONE_PLAIN:
      return "\x1b[0m";
    case TONE_GOOD:
      return "\x1b[32m";
    case TONE_BAD:
      return "\x1b[31m";
    case TONE_BUSY:
      return "\x1b[33m";
    case TONE_FAINT:
      return "\x1b[2m";
  }
  return "";
}

void format_duration(char *out, size_t size, long long ms) {
  long long seconds = ms / 1000;
  if (ms < 1000)
    snprintf(out, size, "%lld ms", ms < 0 ? 0 : ms);
  else if (seconds < 60)
    snprintf(out, size, "%lld.%lld s", seconds, ms % 1000 / 100);
  else if (seconds < 3600)
    snprintf(out, size, "%lld min %lld s", seconds / 60, seconds % 60);
  else if (seconds < 86400)
    snprintf(out, size, "%lld h %lld min", seconds / 3600, seconds % 3600 / 60);
  else
    snprintf(out, size, "%lld d %lld h", seconds / 86400, seconds % 86400 / 3600);
}
