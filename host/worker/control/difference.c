/* The lines compare a first shape, the modules', with a second, the database's: "Step at index 1: whenUnmet differs 'a' vs 'b'". */
#include "worker/control/difference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* A name that ends the part before "differs", and what authors call it. */
static const struct {
  const char *name, *option;
} names[] = {
    {"type", "kind"},
    {"dependencies", "depends_on"},
    {"requiredInputPattern", "only_if"},
    {"forbiddenInputPattern", "unless"},
    {"whenUnmet", "when_unmet"},
    {"whenExhausted", "when_exhausted"},
};

static void put_subject(struct buf *out, const char *subject) {
  size_t length = strlen(subject);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t tail = strlen(names[i].name);
    if (length <= tail || strcmp(subject + length - tail, names[i].name) != 0) continue;
    buf_printf(out, "%.*s%s", (int)(length - tail), subject, names[i].option);
    return;
  }
  buf_printf(out, "%s", subject);
}

/* An absent pattern is an empty quotation. */
static const char *side(const char *text) { return strcmp(text, "''") == 0 ? "none" : text; }

/* "SUBJECT differs A vs B" */
static bool put_comparison(struct buf *out, char *line) {
  char *differs = strstr(line, " differ");
  char *values = differs ? strchr(differs + 1, ' ') : NULL;
  char *between = values ? strstr(values, "' vs '") : NULL;
  if (between)
    between++;
  else if (values)
    between = strstr(values, " vs ");
  if (!between) return false;
  *differs = *between = '\0';
  put_subject(out, line);
  buf_printf(out, ": in the modules %s, in the database %s", side(values + 1), side(between + strlen(" vs ")));
  return true;
}

/* "SUBJECT: missing in first shape (second has 'SLUG')" */
static bool put_missing(struct buf *out, char *line) {
  static const char *const lacks[] = {"first shape (second has ", "second shape (first has "};
  static const char *const said[] = {"the modules (the database has ", "the database (the modules have "};
  for (size_t i = 0; i < sizeof lacks / sizeof *lacks; i++) {
    char *found = strstr(line, lacks[i]);
    if (!found) continue;
    buf_printf(out, "%.*s%s%s", (int)(found - line), line, said[i], found + strlen(lacks[i]));
    return true;
  }
  return false;
}

void difference_put(struct buf *out, const char *line) {
  char *copy = xmemdup(line, strcspn(line, "\n"));
  if (!put_comparison(out, copy) && !put_missing(out, copy)) buf_printf(out, "%s", copy);
  free(copy);
}
