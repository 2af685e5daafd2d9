/* Reading --env-file and laying it over the environment. Knows nothing of executors. */
#include "worker/source/env_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process_start.h"
#include "base/xalloc.h"

static bool is_name(const char *name) {
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return true;
}

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  size_t length = strlen(text);
  while (length > 0 && isspace((unsigned char)text[length - 1])) text[--length] = '\0';
  return text;
}

/* Nothing, or a comment that blanks separate from what it follows. */
static bool is_rest(const char *text) {
  const char *rest = text;
  while (isspace((unsigned char)*rest)) rest++;
  return *rest == '\0' || (*rest == '#' && rest > text);
}

/* The value without its quotes or its comment. NULL: a quote is not closed. */
static char *bare(char *value) {
  char quote = *value;
  if (quote == '"' || quote == '\'') {
    char *end = strchr(value + 1, quote);
    while (end && !is_rest(end + 1)) end = strchr(end + 1, quote); /* a quote inside of the value, as in JSON */
    if (!end) return NULL;
    *end = '\0';
    return value + 1;
  }
  for (char *c = value; *c; c++) {
    if (*c != '#' || (c > value && !isspace((unsigned char)c[-1]))) continue;
    *c = '\0';
    break;
  }
  return trim(value);
}

static bool same_name(const char *a, const char *b) {
  size_t length = strcspn(a, "=");
  return strcspn(b, "=") == length && strncmp(a, b, length) == 0;
}

static void put(struct env_file *file, char *variable) {
  for (size_t i = 0; i < file->count; i++) {
    if (!same_name(file->variables[i], variable)) continue;
    free(file->variables[i]);
    file->variables[i] = variable;
    return;
  }
  file->variables = xrealloc(file->variables, (file->count + 1) * sizeof *file->variables);
  file->variables[file->count++] = variable;
}

/* What is wrong with the line, or NULL. */
static const char *read_line(struct env_file *file, char *line, size_t length) {
  if (strlen(line) != length) return "the line contains a NUL byte";
  char *text = trim(line);
  if (*text == '\0' || *text == '#') return NULL;
  char *value = strchr(text, '=');
  if (!value) return "the line is not of the form NAME=value";
  *value++ = '\0';
  char *name = trim(text);
  if (!is_name(name)) return "the text before = is not a name";
  char *wanted = bare(trim(value));
  if (!wanted) return "a quotation mark is not closed";
  put(file, xasprintf("%s=%s", name, wanted));
  return NULL;
}

/* Editors of other systems put a byte order mark before the first line. */
static size_t skip_mark(const char *line) { return strncmp(line, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; }

static bool refuse_unreadable(const struct env_place *place, int number, struct err *err) {
  char folder[PATH_MAX] = "";
  bool is_relative = *place->path != '/' && getcwd(folder, sizeof folder);
  err_set(err, ERR_CONFIG, EXIT_USAGE, "cannot read %s %s: %s", place->source, place->path, strerror(number));
  err_hint(err, "give the path of a file with lines NAME=value%s%s", is_relative ? "; this one counts from " : "",
           folder);
  process_lacks_files(number, err);
  return false;
}

/* A pipe would be waited for, and has nothing more to give at the next reload. */
static FILE *open_regular(const struct env_place *place, struct err *err) {
  struct stat info;
  int fd = open(place->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &info) != 0) {
    refuse_unreadable(place, errno, err);
  } else if (!S_ISREG(info.st_mode)) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s %s: it is not a regular file", place->source, place->path);
    err_hint(err, "it is read again at each reload, so write the variables into a file");
  } else {
    FILE *stream = fdopen(fd, "r");
    if (!stream) abort(); /* out of memory */
    return stream;
  }
  if (fd >= 0) close(fd);
  return NULL;
}

bool env_file_read(struct env_file *file, const struct env_place *place, struct err *err) {
  *file = (struct env_file){0};
  if (!place->path) return true;
  FILE *stream = open_regular(place, err);
  if (!stream) return false;
  char *line = NULL;
  size_t room = 0;
  int number = 0;
  const char *wrong = NULL;
  for (ssize_t length; !wrong && (length = getline(&line, &room, stream)) >= 0;) {
    size_t mark = number++ == 0 ? skip_mark(line) : 0;
    wrong = read_line(file, line + mark, (size_t)length - mark);
  }
  bool good = !wrong;
  if (!good) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s %s:%d: %s", place->source, place->path, number, wrong);
    err_hint(err, "write NAME=value or NAME=\"value\", and # before a comment");
  } else if (ferror(stream)) {
    good = refuse_unreadable(place, errno, err);
  }
  free(line);
  fclose(stream);
  return good;
}

char **env_file_merge(const struct env_file *file, char **environment, bool (*keep)(const char *variable)) {
  size_t count = file ? file->count : 0, kept = 0;
  for (char **v = environment; *v; v++) count++;
  char **list = xcalloc(count + 1, sizeof *list);
  for (size_t i = 0; file && i < file->count; i++) list[kept++] = file->variables[i];
  for (char **v = environment; *v; v++) {
    bool replaced = false;
    for (size_t i = 0; file && i < file->count; i++) replaced = replaced || same_name(file->variables[i], *v);
    if (!replaced && keep(*v)) list[kept++] = *v;
  }
  return list;
}

void env_file_free(struct env_file *file) {
  for (size_t i = 0; i < file->count; i++) free(file->variables[i]);
  free(file->variables);
  *file = (struct env_file){0};
}
