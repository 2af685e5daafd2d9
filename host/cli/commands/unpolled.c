/* The registries have the routing of each flow, which is in those of all workers that serve it. */
#include "cli/commands/unpolled.h"

#include <yajl/yajl_tree.h>

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static yajl_val get(yajl_val object, const char *name, yajl_type type) {
  return yajl_tree_get(object, (const char *[]){name, NULL}, type);
}

static struct unpolled_queue *find(const struct unpolled *unpolled, const char *flow, const char *queue) {
  for (size_t i = 0; i < unpolled->count; i++)
    if (strcmp(unpolled->list[i].flow, flow) == 0 && strcmp(unpolled->list[i].queue, queue) == 0)
      return &unpolled->list[i];
  return NULL;
}

static void add(struct unpolled *unpolled, const char *flow, const char *queue, const char *step) {
  struct unpolled_queue *known = find(unpolled, flow, queue);
  if (known) {
    char *steps = xasprintf("%s, %s", known->steps, step);
    free(known->steps);
    known->steps = steps;
    return;
  }
  unpolled->list = xrealloc(unpolled->list, (unpolled->count + 1) * sizeof *unpolled->list);
  unpolled->list[unpolled->count++] =
      (struct unpolled_queue){.flow = xstrdup(flow), .queue = xstrdup(queue), .steps = xstrdup(step)};
}

/* before: how many there were before this registry; a flow of those was in an earlier one as well. */
static void add_flow(struct unpolled *unpolled, size_t before, const struct load_report *report, yajl_val flow) {
  const char *slug = YAJL_GET_STRING(get(flow, "slug", yajl_t_string));
  yajl_val routing = get(flow, "routing", yajl_t_object);
  for (size_t i = 0; slug && i < before; i++)
    if (strcmp(unpolled->list[i].flow, slug) == 0) return;
  for (size_t i = 0; slug && routing && i < routing->u.object.len; i++) {
    const char *queue = YAJL_GET_STRING(routing->u.object.values[i]);
    if (queue && !load_report_worker(report, queue)) add(unpolled, slug, queue, routing->u.object.keys[i]);
  }
}

struct unpolled unpolled_find(const struct load_report *report) {
  struct unpolled unpolled = {0};
  for (size_t i = 0; i < report->worker_count; i++) {
    size_t before = unpolled.count;
    yajl_val registry = yajl_tree_parse(report->workers[i].registry, NULL, 0);
    yajl_val flows = registry ? get(registry, "flows", yajl_t_array) : NULL;
    for (size_t j = 0; flows && j < flows->u.array.len; j++)
      add_flow(&unpolled, before, report, flows->u.array.values[j]);
    yajl_tree_free(registry);
  }
  return unpolled;
}

void unpolled_free(struct unpolled *unpolled) {
  for (size_t i = 0; i < unpolled->count; i++) {
    free(unpolled->list[i].flow);
    free(unpolled->list[i].queue);
    free(unpolled->list[i].steps);
  }
  free(unpolled->list);
  *unpolled = (struct unpolled){0};
}
