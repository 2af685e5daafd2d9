/* The flows' names come from the registries; which input a flow wants nobody knows, so the command leaves it open. */
#include "cli/dev/devready.h"

#include <yajl/yajl_tree.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { MOST_NAMES = 12 };

struct names {
  char **list;
  size_t count;
};

static void add_name(struct names *names, const char *name) {
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->list[i], name) == 0) return; /* a flow is in the registry of each of its queues */
  names->list = xrealloc(names->list, (names->count + 1) * sizeof *names->list);
  names->list[names->count++] = xstrdup(name);
}

static void add_aliases(struct names *names, const char *registry_text) {
  const char *flows[] = {"flows", NULL}, *alias[] = {"alias", NULL};
  yajl_val registry = yajl_tree_parse(registry_text, NULL, 0);
  yajl_val list = registry ? yajl_tree_get(registry, flows, yajl_t_array) : NULL;
  for (size_t i = 0; list && i < list->u.array.len; i++) {
    yajl_val name = yajl_tree_get(list->u.array.values[i], alias, yajl_t_string);
    if (name) add_name(names, YAJL_GET_STRING(name));
  }
  yajl_tree_free(registry);
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void devready_put(struct buf *out, const struct load_report *report, const char *conninfo, bool named) {
  struct names names = {0};
  for (size_t i = 0; i < report->worker_count; i++) add_aliases(&names, report->workers[i].registry);
  if (names.count > 0) qsort(names.list, names.count, sizeof *names.list, compare);
  buf_printf(out, "luaflow dev is ready: %zu queue%s. Flows: ", report->worker_count,
             report->worker_count == 1 ? "" : "s");
  for (size_t i = 0; i < names.count && i < MOST_NAMES; i++) buf_printf(out, "%s%s", i > 0 ? ", " : "", names.list[i]);
  if (names.count > MOST_NAMES) buf_printf(out, " and %zu more", names.count - MOST_NAMES);
  buf_printf(out, "\nStart a run with: luaflow start NAME [JSON] --wait");
  if (named) buf_printf(out, " --database '%s'", conninfo);
  buf_printf(out, "\nIts database: psql '%s'\n", conninfo);
  for (size_t i = 0; i < names.count; i++) free(names.list[i]);
  free(names.list);
}
