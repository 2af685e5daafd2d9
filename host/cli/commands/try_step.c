/* Reads the registries; see lua/luaflow/registry.lua and shape.lua for what they hold. */
#include "cli/commands/try_step.h"

#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "base/buf.h"
#include "base/nearest.h"
#include "base/xalloc.h"

/* A step in a registry. */
struct found {
  yajl_val flow, step;
};

struct search {
  const char *name;
  yajl_val *registries; /* one for each worker */
  size_t registry_count;
  struct found *steps; /* all, each once */
  size_t count, room;
};

static yajl_val field(yajl_val object, const char *name, yajl_type type) {
  return yajl_tree_get(object, (const char *[]){name, NULL}, type);
}

static const char *text_field(yajl_val object, const char *name) {
  yajl_val value = field(object, name, yajl_t_string);
  return value ? YAJL_GET_STRING(value) : "";
}

static bool is_known(const struct search *search, const char *flow) {
  for (size_t i = 0; i < search->count; i++)
    if (strcmp(text_field(search->steps[i].flow, "slug"), flow) == 0) return true;
  return false;
}

static void add_flow(struct search *search, yajl_val flow) {
  yajl_val steps = yajl_tree_get(flow, (const char *[]){"shape", "steps", NULL}, yajl_t_array);
  if (!steps || is_known(search, text_field(flow, "slug"))) return; /* another worker serves it as well */
  for (size_t i = 0; i < steps->u.array.len; i++) {
    if (search->count == search->room) {
      search->room = search->room ? search->room * 2 : 16;
      search->steps = xrealloc(search->steps, search->room * sizeof *search->steps);
    }
    search->steps[search->count++] = (struct found){.flow = flow, .step = steps->u.array.values[i]};
  }
}

static void search_open(struct search *search, const struct load_report *report, const char *name) {
  *search = (struct search){.name = name, .registry_count = report->worker_count};
  search->registries = xcalloc(report->worker_count + 1, sizeof *search->registries);
  for (size_t i = 0; i < report->worker_count; i++) {
    search->registries[i] = yajl_tree_parse(report->workers[i].registry, NULL, 0);
    yajl_val flows = search->registries[i] ? field(search->registries[i], "flows", yajl_t_array) : NULL;
    for (size_t j = 0; flows && j < flows->u.array.len; j++) add_flow(search, flows->u.array.values[j]);
  }
}

static void search_close(struct search *search) {
  for (size_t i = 0; i < search->registry_count; i++) yajl_tree_free(search->registries[i]);
  free(search->registries);
  free(search->steps);
}

/* FLOW.STEP; owned by the caller. */
static char *full_name(const struct found *found) {
  return xasprintf("%s.%s", text_field(found->flow, "slug"), text_field(found->step, "slug"));
}

static bool fits(const struct found *found, const char *name) {
  if (!name) return false;
  char *full = full_name(found);
  bool equal = strcmp(name, full) == 0 || strcmp(name, text_field(found->step, "slug")) == 0;
  free(full);
  return equal;
}

static bool refuse_unknown(const struct search *search, struct err *err) {
  bool with_flow = search->name && strchr(search->name, '.'), one_flow = true;
  const char **names = xcalloc(search->count + 1, sizeof *names);
  char **full = xcalloc(search->count + 1, sizeof *full);
  struct buf all = {0};
  for (size_t i = 0; i < search->count; i++) {
    full[i] = full_name(&search->steps[i]);
    names[i] = with_flow ? full[i] : text_field(search->steps[i].step, "slug");
    one_flow = one_flow && search->steps[i].flow == search->steps[0].flow;
  }
  for (size_t i = 0; i < search->count; i++)
    buf_printf(&all, "%s%s", i ? ", " : "", one_flow ? text_field(search->steps[i].step, "slug") : full[i]);
  const char *best = search->name ? nearest(search->name, names, search->count) : NULL;
  if (search->name)
    err_set(err, ERR_CONFIG, EXIT_USAGE, "try: there is no step %s", search->name);
  else
    err_set(err, ERR_CONFIG, EXIT_USAGE, "try: a step is missing");
  if (best)
    err_hint(err, "did you mean %s?", best);
  else
    err_hint(err, "known: %.*s", (int)all.len, all.data ? all.data : "none");
  for (size_t i = 0; i < search->count; i++) free(full[i]);
  free(full);
  free(names);
  buf_free(&all);
  return false;
}

static bool refuse_ambiguous(const struct found *one, const struct found *other, struct err *err) {
  char *name = full_name(one), *other_name = full_name(other);
  err_set(err, ERR_CONFIG, EXIT_USAGE, "try: %s: several flows have a step of this name",
          text_field(one->step, "slug"));
  err_hint(err, "give it with its flow: %s or %s", name, other_name);
  free(name);
  free(other_name);
  return false;
}

static bool find(const struct search *search, const struct found **found, struct err *err) {
  *found = NULL;
  for (size_t i = 0; i < search->count; i++) {
    if (!fits(&search->steps[i], search->name)) continue;
    if (*found) return refuse_ambiguous(*found, &search->steps[i], err);
    *found = &search->steps[i];
  }
  return *found || refuse_unknown(search, err);
}

/* The step's own option, else the flow's. */
static int64_t option(const struct found *found, const char *name) {
  yajl_val value = yajl_tree_get(found->step, (const char *[]){"options", name, NULL}, yajl_t_number);
  if (!value) value = yajl_tree_get(found->flow, (const char *[]){"shape", "options", name, NULL}, yajl_t_number);
  return value && YAJL_IS_INTEGER(value) ? YAJL_GET_INTEGER(value) : 1;
}

static void read_step(struct try_step *step, const struct found *found) {
  const char *slug = text_field(found->step, "slug");
  yajl_val routing = field(found->flow, "routing", yajl_t_object);
  yajl_val dependencies = field(found->step, "dependencies", yajl_t_array);
  size_t count = dependencies ? dependencies->u.array.len : 0;
  *step = (struct try_step){.flow = xstrdup(text_field(found->flow, "slug")),
                            .step = xstrdup(slug),
                            .queue = xstrdup(routing ? text_field(routing, slug) : ""),
                            .is_map = strcmp(text_field(found->step, "stepType"), "map") == 0,
                            .max_attempts = option(found, "maxAttempts"),
                            .timeout_s = option(found, "timeout")};
  step->takes_run_input = !step->is_map && count == 0;
  if (step->is_map || count == 0) return;
  step->dependencies = xcalloc(count, sizeof *step->dependencies);
  for (size_t i = 0; i < count; i++) {
    const char *dependency = YAJL_GET_STRING(dependencies->u.array.values[i]);
    if (dependency) step->dependencies[step->dependency_count++] = xstrdup(dependency);
  }
}

bool try_step_find(struct try_step *step, const struct load_report *report, const char *name, struct err *err) {
  struct search search;
  const struct found *found;
  search_open(&search, report, name);
  bool good = find(&search, &found, err);
  if (good) read_step(step, found);
  search_close(&search);
  return good;
}

static bool has_dependency(const struct try_step *step, const char *name) {
  for (size_t i = 0; i < step->dependency_count; i++)
    if (strcmp(step->dependencies[i], name) == 0) return true;
  return false;
}

static bool check_dependencies(const struct try_step *step, yajl_val input, struct err *err) {
  if (!YAJL_IS_OBJECT(input)) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "try: the input of %s.%s must be a JSON object of its dependencies' outputs",
            step->flow, step->step);
    return err_hint(err, "for example: '{\"%s\": ...}'", step->dependencies[0]);
  }
  for (size_t i = 0; i < input->u.object.len; i++) {
    const char *name = input->u.object.keys[i];
    if (has_dependency(step, name)) continue;
    err_set(err, ERR_CONFIG, EXIT_USAGE, "try: the input has \"%s\", but %s.%s does not depend on such a step", name,
            step->flow, step->step);
    const char *best = nearest(name, (const char *const *)step->dependencies, step->dependency_count);
    return best ? err_hint(err, "did you mean %s?", best) : false;
  }
  return true;
}

bool try_step_check_input(const struct try_step *step, const char *input, struct err *err) {
  if (step->dependency_count == 0) return true;
  yajl_val tree = yajl_tree_parse(input, NULL, 0);
  bool good = check_dependencies(step, tree, err);
  yajl_tree_free(tree);
  return good;
}

void try_step_free(struct try_step *step) {
  for (size_t i = 0; i < step->dependency_count; i++) free(step->dependencies[i]);
  free(step->dependencies);
  free(step->flow);
  free(step->step);
  free(step->queue);
  *step = (struct try_step){0};
}
