/* Log lines on stderr: a verb, then key=value; as text for a terminal or one JSON object a line.
 * A struct log is owned by main and passed down; writes that fail (the reader has ended) are dropped. */
#ifndef LUAFLOW_BASE_LOG_H
#define LUAFLOW_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define LOG_LEVELS(X) X(DEBUG, "debug") X(INFO, "info") X(WARN, "warn") X(ERROR, "error")

enum log_level {
#define X(name, text) LOG_##name,
  LOG_LEVELS(X)
#undef X
};

enum log_format { LOG_TEXT, LOG_JSON };

struct log {
  enum log_level level;
  enum log_format format;
  bool colour;
  const char *program; /* borrowed, such as "worker greet_user"; may be NULL */
  int64_t dropped;     /* lines lost in a row since the reader of stderr is stuck or gone; set by log_write alone */
};

enum log_field_type { LOG_FIELD_END, LOG_FIELD_STR, LOG_FIELD_INT, LOG_FIELD_F64, LOG_FIELD_RAW };

struct log_field {
  enum log_field_type type;
  const char *key;
  const char *str; /* STR; RAW: JSON text, a string if it is none. NULL leaves the field out */
  int64_t integer;
  double number;
};

#define LOG_STR(k, v) ((struct log_field){.type = LOG_FIELD_STR, .key = (k), .str = (v)})
#define LOG_INT(k, v) ((struct log_field){.type = LOG_FIELD_INT, .key = (k), .integer = (v)})
#define LOG_F64(k, v) ((struct log_field){.type = LOG_FIELD_F64, .key = (k), .number = (v)})
#define LOG_JSON_TEXT(k, v) ((struct log_field){.type = LOG_FIELD_RAW, .key = (k), .str = (v)})
/* What a struct err says. */
#define LOG_ERR(err)                                                                                \
  LOG_STR("sqlstate", *(err)->sqlstate ? (err)->sqlstate : NULL), LOG_STR("error", (err)->message), \
      LOG_STR("hint", *(err)->hint ? (err)->hint : NULL)

/* LOG(log, LOG_INFO, "claimed", LOG_STR("queue", queue), LOG_INT("tasks", n)); arguments are evaluated only if the
 * level is on. */
#define LOG(log, lvl, verb, ...)                                                                                      \
  do {                                                                                                                \
    if ((lvl) >= (log)->level)                                                                                        \
      log_write((log), (lvl), (verb), (const struct log_field[]){__VA_ARGS__ __VA_OPT__(, ){.type = LOG_FIELD_END}}); \
  } while (0)

/* Writes one line; of a text that is longer than 8 KiB the beginning, and how many bytes were left out. A reader that
 * does not take it within 50 ms loses it, and then every line until it reads again: a log never delays its process
 * for long. */
void log_write(struct log *log, enum log_level level, const char *verb, const struct log_field *fields);
/* Appends the line (in text several, where a value has several), with its newline, as log_write would write it at the
 * given time in milliseconds since the epoch. */
void log_format_line(const struct log *log, int64_t time_ms, enum log_level level, const char *verb,
                     const struct log_field *fields, struct buf *out);
/* False if text names no level. */
bool log_level_parse(const char *text, enum log_level *level);

#endif
