/* Comparing the files and the variables of two sources. */
#include "worker/source/changes.h"

static void put_file(void *owner, enum snapshot_change change, struct text path) {
  static const char *const words[] = {
      [SNAPSHOT_ADDED] = "added", [SNAPSHOT_CHANGED] = "changed", [SNAPSHOT_REMOVED] = "removed"};
  struct buf *out = owner;
  buf_printf(out, "%s%.*s %s", out->len ? "; " : "", (int)path.length, path.bytes, words[change]);
}

void changes_put_files(struct buf *out, const struct source *before, const struct source *after) {
  snapshot_compare(before->snapshot, after->snapshot, put_file, out);
  if (!source_same_variables(before, after)) buf_printf(out, "%sthe environment file changed", out->len ? "; " : "");
}

static void put_path(void *owner, enum snapshot_change change, struct text path) {
  struct buf *out = owner;
  (void)change;
  buf_printf(out, "%s%.*s", out->len ? "\n" : "", (int)path.length, path.bytes);
}

void changes_put_paths(struct buf *out, const struct source *before, const struct source *after) {
  snapshot_compare(before->snapshot, after->snapshot, put_path, out);
  if (!source_same_variables(before, after)) buf_printf(out, "%sthe environment file", out->len ? "\n" : "");
}
