/* Comparing two registries flow by flow and step by step. */
#include "worker/source/changes.h"

#include <string.h>
#include <yajl/yajl_tree.h>

/* A change begins: what is it about. step may be NULL. */
static void begin(struct buf *out, const char *flow, const char *step) {
  buf_printf(out, "%s%s%s%s: ", out->len ? "; " : "", flow, step ? "." : "", step ? step : "");
}

static yajl_val get(yajl_val object, const char *name, yajl_type type) {
  const char *path[] = {name, NULL};
  return object ? yajl_tree_get(object, path, type) : NULL;
}

static const char *text(yajl_val object, const char *name) {
  yajl_val value = get(object, name, yajl_t_string);
  return value ? YAJL_GET_STRING(value) : "";
}

/* The element of a list of objects with that slug; *index is its place. */
static yajl_val find(yajl_val list, const char *slug, size_t *index) {
  for (size_t i = 0; list && i < list->u.array.len; i++) {
    if (strcmp(text(list->u.array.values[i], "slug"), slug) != 0) continue;
    if (index) *index = i;
    return list->u.array.values[i];
  }
  return NULL;
}

static size_t count(yajl_val list) { return list ? list->u.array.len : 0; }

static bool same(yajl_val a, yajl_val b);

static bool same_object(yajl_val a, yajl_val b) {
  if (a->u.object.len != b->u.object.len) return false;
  for (size_t i = 0; i < a->u.object.len; i++) {
    yajl_val other = get(b, a->u.object.keys[i], yajl_t_any);
    if (!other || !same(a->u.object.values[i], other)) return false;
  }
  return true;
}

static bool same_array(yajl_val a, yajl_val b) {
  if (a->u.array.len != b->u.array.len) return false;
  for (size_t i = 0; i < a->u.array.len; i++)
    if (!same(a->u.array.values[i], b->u.array.values[i])) return false;
  return true;
}

static bool same(yajl_val a, yajl_val b) {
  if (!a || !b || a->type != b->type) return a == b;
  switch (a->type) {
    case yajl_t_string:
      return strcmp(a->u.string, b->u.string) == 0;
    case yajl_t_number:
      return strcmp(a->u.number.r, b->u.number.r) == 0;
    case yajl_t_object:
      return same_object(a, b);
    case yajl_t_array:
      return same_array(a, b);
    case yajl_t_true:
    case yajl_t_false:
    case yajl_t_null:
    case yajl_t_any:
      return true;
  }
  return true;
}

/* ---- options ---- */

static const char *number(yajl_val options, const char *name) {
  yajl_val value = get(options, name, yajl_t_number);
  return value ? YAJL_GET_NUMBER(value) : "the flow's";
}

static void put_options(struct buf *out, const char *flow, const char *step, yajl_val before, yajl_val after) {
  static const struct {
    const char *key, *name;
  } options[] = {{"maxAttempts", "max_attempts"},
                 {"baseDelay", "base_delay"},
                 {"timeout", "timeout"},
                 {"startDelay", "start_delay"}};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    const char *old = number(before, options[i].key), *new = number(after, options[i].key);
    if (strcmp(old, new) == 0) continue;
    begin(out, flow, step);
    buf_printf(out, "%s %s -> %s", options[i].name, old, new);
  }
}

/* ---- shape ---- */

static void put_step(struct buf *out, const char *flow, yajl_val before, yajl_val after) {
  static const struct {
    const char *key, *name;
  } parts[] = {{"stepType", "kind"},
               {"dependencies", "depends_on"},
               {"requiredInputPattern", "only_if"},
               {"forbiddenInputPattern", "unless"},
               {"whenUnmet", "when_unmet"},
               {"whenExhausted", "when_exhausted"}};
  const char *step = text(after, "slug");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (same(get(before, parts[i].key, yajl_t_any), get(after, parts[i].key, yajl_t_any))) continue;
    begin(out, flow, step);
    buf_printf(out, "shape: %s changed", parts[i].name);
  }
  put_options(out, flow, step, get(before, "options", yajl_t_object), get(after, "options", yajl_t_object));
}

/* Of each step that only the first has. */
static void put_missing(struct buf *out, const char *flow, yajl_val first, yajl_val second, const char *what) {
  for (size_t i = 0; i < count(first); i++) {
    const char *slug = text(first->u.array.values[i], "slug");
    if (find(second, slug, NULL)) continue;
    begin(out, flow, NULL);
    buf_printf(out, "shape: step %s: %s", what, slug);
  }
}

static void put_steps(struct buf *out, const char *flow, yajl_val before, yajl_val after) {
  bool moved = false;
  size_t last = 0;
  put_missing(out, flow, before, after, "removed");
  put_missing(out, flow, after, before, "added");
  for (size_t i = 0; i < count(after); i++) {
    size_t index;
    yajl_val old = find(before, text(after->u.array.values[i], "slug"), &index);
    if (!old) continue;
    moved = moved || index < last;
    last = index;
    put_step(out, flow, old, after->u.array.values[i]);
  }
  if (!moved) return;
  begin(out, flow, NULL);
  buf_printf(out, "shape: steps in another order");
}

/* ---- flows ---- */

static void put_routing(struct buf *out, const char *flow, yajl_val before, yajl_val after) {
  for (size_t i = 0; after && i < after->u.object.len; i++) {
    const char *step = after->u.object.keys[i], *old = text(before, step), *new = text(after, step);
    if (!*old || strcmp(old, new) == 0) continue;
    begin(out, flow, step);
    buf_printf(out, "routing: queue %s -> %s", old, new);
  }
}

static void put_flow(struct buf *out, yajl_val before, yajl_val after) {
  const char *flow = text(after, "slug");
  yajl_val old = get(before, "shape", yajl_t_object), new = get(after, "shape", yajl_t_object);
  if (strcmp(text(before, "alias"), text(after, "alias")) != 0) {
    begin(out, flow, NULL);
    buf_printf(out, "alias %s -> %s", text(before, "alias"), text(after, "alias"));
  }
  if (!same(get(before, "retained", yajl_t_any), get(after, "retained", yajl_t_any))) {
    begin(out, flow, NULL);
    buf_printf(out, "%s", get(after, "retained", yajl_t_true) ? "retained now" : "no longer retained");
  }
  put_steps(out, flow, get(old, "steps", yajl_t_array), get(new, "steps", yajl_t_array));
  put_routing(out, flow, get(before, "routing", yajl_t_object), get(after, "routing", yajl_t_object));
  put_options(out, flow, NULL, get(old, "options", yajl_t_object), get(new, "options", yajl_t_object));
}

void changes_put_flows(struct buf *out, const char *before_registry, const char *after_registry) {
  yajl_val before = yajl_tree_parse(before_registry, NULL, 0), after = yajl_tree_parse(after_registry, NULL, 0);
  yajl_val old = get(before, "flows", yajl_t_array), new = get(after, "flows", yajl_t_array);
  for (size_t i = 0; i < count(old); i++) {
    const char *slug = text(old->u.array.values[i], "slug");
    if (find(new, slug, NULL)) continue;
    begin(out, slug, NULL);
    buf_printf(out, "flow removed");
  }
  for (size_t i = 0; i < count(new); i++) {
    const char *slug = text(new->u.array.values[i], "slug");
    yajl_val known = find(old, slug, NULL);
    if (known) {
      put_flow(out, known, new->u.array.values[i]);
      continue;
    }
    begin(out, slug, NULL);
    buf_printf(out, "flow added");
  }
  yajl_tree_free(before);
  yajl_tree_free(after);
}

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
