/* yajl as a checker: without callbacks it takes any JSON apart and keeps nothing. */
#include "cli/view/json.h"

#include <yajl/yajl_parse.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* NULL if it cannot be read or holds a NUL, which no JSON does. */
static char *read_stream(FILE *in) {
  struct buf text = {0};
  char piece[8192];
  for (size_t got; (got = fread(piece, 1, sizeof piece, in)) > 0;) buf_put(&text, piece, got);
  bool ok = !ferror(in) && !(text.len && memchr(text.data, '\0', text.len));
  char *copy = ok ? xmemdup(text.len ? text.data : "", text.len) : NULL;
  buf_free(&text);
  return copy;
}

static bool has_mark(const char *text) { return strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0; }

bool json_check(const char *what, const char *text, struct err *err) {
  const unsigned char *bytes = (const unsigned char *)text;
  size_t length = strlen(text);
  yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
  bool parsed = yajl_parse(parser, bytes, length) == yajl_status_ok;
  size_t position = yajl_get_bytes_consumed(parser);
  bool ok = parsed && yajl_complete_parse(parser) == yajl_status_ok;
  if (!ok) {
    unsigned char *why = yajl_get_error(parser, 0, bytes, length);
    int reason = (int)strcspn((char *)why, "\n");
    if (parsed)
      err_set(err, ERR_CONFIG, EXIT_USAGE, "%s is not valid JSON: it ends too early", what);
    else
      err_set(err, ERR_CONFIG, EXIT_USAGE, "%s is not valid JSON: %.*s at byte %zu", what, reason, (char *)why,
              position);
    yajl_free_error(parser, why);
    if (has_mark(text))
      err_hint(err, "it begins with a byte order mark: save it as UTF-8 without one");
    else
      err_hint(err, "quote it for the shell, such as '{\"name\": \"Ada\"}'; a string is '\"text\"'");
  }
  yajl_free(parser);
  return ok;
}

char *json_read(const char *what, const char *argument, struct err *err) {
  char *text = strcmp(argument, "-") == 0 ? read_stream(stdin) : xstrdup(argument);
  if (!text) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: standard input cannot be read or holds a NUL byte", what);
    return NULL;
  }
  if (json_check(what, text, err)) return text;
  if (strcmp(argument, "-") == 0 && !has_mark(text))
    err_hint(err, "standard input must be one JSON value, such as {\"name\": \"Ada\"}");
  free(text);
  return NULL;
}
