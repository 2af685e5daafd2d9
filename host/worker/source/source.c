/* A snapshot and an environment file, kept together. */
#include "worker/source/source.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "base/xalloc.h"

static int64_t now_ms(void) { return (int64_t)(uv_hrtime() / 1000000); }

bool source_take(struct source *source, const char *root, const struct env_place *env_file,
                 const struct snapshot_events *events, void *owner, struct err *err) {
  *source = (struct source){.snapshot = -1, .read_from_ms = now_ms()};
  if (env_file_read(&source->env_file, env_file, err)) source->snapshot = snapshot_take(root, events, owner, err);
  source->read_till_ms = now_ms() + 1; /* for the part of a millisecond */
  if (source->snapshot >= 0) return true;
  source_free(source);
  return false;
}

bool source_same_variables(const struct source *a, const struct source *b) {
  if (a->env_file.count != b->env_file.count) return false;
  for (size_t i = 0; i < a->env_file.count; i++)
    if (strcmp(a->env_file.variables[i], b->env_file.variables[i]) != 0) return false;
  return true;
}

bool source_same(const struct source *a, const struct source *b) {
  return source_same_variables(a, b) && snapshot_same(a->snapshot, b->snapshot);
}

void source_copy(struct source *copy, const struct source *source) {
  const struct env_file *from = &source->env_file;
  struct env_file *to = &copy->env_file;
  *to = (struct env_file){.variables = xcalloc(from->count, sizeof *to->variables), .count = from->count};
  for (size_t i = 0; i < from->count; i++) to->variables[i] = xstrdup(from->variables[i]);
  copy->snapshot = fcntl(source->snapshot, F_DUPFD_CLOEXEC, 0);
  copy->read_from_ms = source->read_from_ms;
  copy->read_till_ms = source->read_till_ms;
}

void source_move(struct source *target, struct source *given) {
  *target = *given;
  *given = (struct source){.snapshot = -1};
}

void source_free(struct source *source) {
  if (source->snapshot >= 0) close(source->snapshot);
  env_file_free(&source->env_file);
  source->snapshot = -1;
}
