/* For a person the text alone, so that tracebacks keep their lines; else as every log line. */
#include "cli/view/script_log.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/plain.h"
#include "base/say.h"

void script_log_line(struct log *log, enum log_level level, const char *message, const char *fields) {
  if (level < log->level) return;
  if (log->format == LOG_TEXT) {
    char *clean = plain_copy(message, PLAIN_LINES), *clean_fields = plain_copy(fields ? fields : "", PLAIN_LINE);
    say(stderr, "%s%s%s\n", clean, fields ? " " : "", clean_fields);
    free(clean);
    free(clean_fields);
  } else {
    LOG(log, level, "log", LOG_STR("message", message), LOG_JSON_TEXT("fields", fields));
  }
}

void script_log(struct log *log, struct cursor *payload) {
  enum log_level level = (enum log_level)cursor_u8(payload);
  char *message = cursor_strdup(payload);
  char *fields = cursor_strdup(payload);
  if (message && !payload->bad) script_log_line(log, level, message, fields);
  free(message);
  free(fields);
}
