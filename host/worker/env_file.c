/* Reading --env-file and laying it over the environment. Knows nothing of executors. */
#include "worker/env_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static char *unquote(char *value) {
  size_t length = strlen(value);
  if (length < 2 || (*value != '"' && *value != '\'') || value[length - 1] != *value) return value;
  value[length - 1] = '\0';
  return value + 1;
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

static bool read_line(struct env_file *file, char *line) {
  char *text = trim(line);
  if (*text == '\0' || *text == '#') return true;
  char *value = strchr(text, '=');
  if (!value) return false;
  *value++ = '\0';
  char *name = trim(text);
  if (!is_name(name)) return false;
  put(file, xasprintf("%s=%s", name, unquote(trim(value))));
  return true;
}

bool env_file_read(struct env_file *file, const char *path, struct err *err) {
  *file = (struct env_file){0};
  if (!path) return true;
  FILE *stream = fopen(path, "re");
  if (!stream) return err_set(err, ERR_CONFIG, EXIT_USAGE, "cannot read --env-file %s: %s", path, strerror(errno));
  char *line = NULL;
  size_t room = 0;
  int number = 0;
  bool good = true;
  while (good && getline(&line, &room, stream) >= 0) {
    number++;
    good = read_line(file, line);
  }
  if (!good) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s:%d: not a line of an environment file", path, number);
    err_hint(err, "write NAME=value, or # before a comment");
  } else if (ferror(stream)) {
    good = err_set(err, ERR_CONFIG, EXIT_USAGE, "cannot read --env-file %s: %s", path, strerror(errno));
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
