/* Writes log lines to stderr as text or JSON, without ever waiting long for a reader. */
#include "base/log.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

#include "base/plain.h"
#include "base/utf8.h"

enum {
  PIECE = 4096, /* PIPE_BUF: a writable pipe takes that much at once */
  PATIENCE_MS = 50,
  TEXT_MAX = 8192 /* bytes of a field's text; the rest is left out */
};

static const char *const level_names[] = {
#define X(name, text) text,
    LOG_LEVELS(X)
#undef X
};

bool log_level_parse(const char *text, enum log_level *level) {
  for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++) {
    if (strcmp(text, level_names[i]) != 0) continue;
    *level = (enum log_level)i;
    return true;
  }
  return false;
}

static void put_str(struct buf *out, const char *text) { buf_put(out, text, strlen(text)); }

/* Escapes what would break the line or the terminal: control characters, the quote, the backslash. In text further
 * lines, such as a traceback's, follow on separate lines, indented, so that none can be taken for an entry of the
 * log. */
static void put_escaped(struct buf *out, const char *text, bool json) {
  bool many_lines = !json && strchr(text, '\n');
  struct buf clean = {0};
  size_t length = strlen(text), kept = utf8_prefix(text, length, TEXT_MAX);
  utf8_clean(&clean, text, kept, 0);
  if (kept < length) buf_printf(&clean, " ... (%zu bytes left out)", length - kept);
  for (size_t i = 0, size; i < clean.len; i += size) {
    unsigned char c = (unsigned char)clean.data[i];
    size = utf8_sequence(clean.data + i, clean.len - i);
    uint32_t control = utf8_control(clean.data + i, size);
    if (c == '"' || c == '\\')
      buf_printf(out, "\\%c", c);
    else if (c == '\n')
      put_str(out, many_lines ? "\n    " : "\\n");
    else if (c == '\t')
      put_str(out, many_lines ? "  " : "\\t");
    else if (c == '\r')
      put_str(out, "\\r");
    else if (control)
      buf_printf(out, json || size > 1 ? "\\u%04x" : "\\x%02x", control);
    else
      buf_put(out, clean.data + i, size);
  }
  buf_free(&clean);
}

static void put_quoted(struct buf *out, const char *text, bool json) {
  put_str(out, "\"");
  put_escaped(out, text, json);
  put_str(out, "\"");
}

/* One line of JSON. */
static bool is_json(const char *text) {
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ') return false;
  yajl_handle parser = yajl_alloc(NULL, NULL, NULL);
  if (!parser) abort(); /* out of memory */
  bool valid = yajl_parse(parser, (const unsigned char *)text, strlen(text)) == yajl_status_ok &&
               yajl_complete_parse(parser) == yajl_status_ok;
  yajl_free(parser);
  return valid;
}

/* JSON as it is, but for what steers a terminal. What is too long becomes a string with its beginning, and so does
 * text that is not JSON, which only a forged frame contains. */
static void put_json(struct buf *out, const char *text) {
  if (strlen(text) > TEXT_MAX || !is_json(text)) {
    put_quoted(out, text, true);
    return;
  }
  plain_put_json(out, text, strlen(text));
}

static bool is_plain(const char *text) {
  if (*text == '\0') return false;
  for (; *text; text++)
    if ((unsigned char)*text <= ' ' || strchr("\"\\=", *text) || (unsigned char)*text >= 0x7F) return false;
  return true;
}

static void put_time(struct buf *out, int64_t time_ms) {
  time_t seconds = (time_t)(time_ms / 1000);
  struct tm utc;
  char text[32];
  gmtime_r(&seconds, &utc);
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  buf_printf(out, "%s.%03dZ", text, (int)(time_ms % 1000));
}

static void put_number(struct buf *out, double number) {
  if (number - number != 0) /* JSON knows neither infinities nor NaN */
    put_str(out, "null");
  else
    buf_printf(out, "%.15g", number);
}

static void put_value(struct buf *out, const struct log_field *field, bool json) {
  switch (field->type) {
    case LOG_FIELD_END:
      return;
    case LOG_FIELD_STR:
      if (!json && is_plain(field->str))
        put_str(out, field->str);
      else
        put_quoted(out, field->str, json);
      return;
    case LOG_FIELD_INT:
      buf_printf(out, "%lld", (long long)field->integer);
      return;
    case LOG_FIELD_F64:
      put_number(out, field->number);
      return;
    case LOG_FIELD_RAW:
      put_json(out, field->str);
      return;
  }
}

static bool is_left_out(const struct log_field *field) {
  return (field->type == LOG_FIELD_STR || field->type == LOG_FIELD_RAW) && !field->str;
}

static void format_json(const struct log *log, int64_t time_ms, enum log_level level, const char *verb,
                        const struct log_field *fields, struct buf *out) {
  put_str(out, "{\"time\":\"");
  put_time(out, time_ms);
  buf_printf(out, "\",\"level\":\"%s\",\"verb\":", level_names[level]);
  put_quoted(out, verb, true);
  if (log->program) {
    put_str(out, ",\"program\":");
    put_quoted(out, log->program, true);
  }
  for (const struct log_field *field = fields; field->type != LOG_FIELD_END; field++) {
    if (is_left_out(field)) continue;
    put_str(out, ",");
    put_quoted(out, field->key, true);
    put_str(out, ":");
    put_value(out, field, true);
  }
  put_str(out, "}\n");
}

static const char *colour_of(enum log_level level) {
  switch (level) {
    case LOG_DEBUG:
      return "\x1b[2m";
    case LOG_INFO:
      return "\x1b[32m";
    case LOG_WARN:
      return "\x1b[33m";
    case LOG_ERROR:
      return "\x1b[31m";
  }
  return "";
}

static void format_text(const struct log *log, int64_t time_ms, enum log_level level, const char *verb,
                        const struct log_field *fields, struct buf *out) {
  put_time(out, time_ms);
  buf_printf(out, " %s%-5s%s ", log->colour ? colour_of(level) : "", level_names[level], log->colour ? "\x1b[0m" : "");
  if (log->program) buf_printf(out, "[%s] ", log->program);
  put_escaped(out, verb, false);
  for (const struct log_field *field = fields; field->type != LOG_FIELD_END; field++) {
    if (is_left_out(field)) continue;
    buf_printf(out, " %s=", field->key);
    put_value(out, field, false);
  }
  put_str(out, "\n");
}

void log_format_line(const struct log *log, int64_t time_ms, enum log_level level, const char *verb,
                     const struct log_field *fields, struct buf *out) {
  switch (log->format) {
    case LOG_TEXT:
      format_text(log, time_ms, level, verb, fields, out);
      return;
    case LOG_JSON:
      format_json(log, time_ms, level, verb, fields, out);
      return;
  }
}

/* True if the whole line was taken. A line that was begun is waited for, so that lines stay whole where possible. */
static bool write_line(const struct buf *line, int patience_ms) {
  for (size_t pos = 0; pos < line->len;) {
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&ready, 1, patience_ms) <= 0 || !(ready.revents & POLLOUT) || (ready.revents & POLLERR)) return false;
    size_t rest = line->len - pos;
    ssize_t done = write(STDERR_FILENO, line->data + pos, rest < PIECE ? rest : PIECE);
    if (done <= 0) return false;
    pos += (size_t)done;
    patience_ms = PATIENCE_MS;
  }
  return true;
}

void log_write(struct log *log, enum log_level level, const char *verb, const struct log_field *fields) {
  struct buf line = {0};
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t time_ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
  if (log->dropped) {
    const struct log_field lost[] = {LOG_INT("lines", log->dropped), {.type = LOG_FIELD_END}};
    log_format_line(log, time_ms, LOG_WARN, "log_lines_lost", lost, &line);
  }
  log_format_line(log, time_ms, level, verb, fields, &line);
  if (write_line(&line, log->dropped ? 0 : PATIENCE_MS))
    log->dropped = 0;
  else
    log->dropped++;
  buf_free(&line);
}
