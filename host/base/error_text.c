/* An error table has strings "kind" and "message"; its other fields are for programs. */
#include "base/error_text.h"

#include <yajl/yajl_tree.h>

#include "base/xalloc.h"

static const char *field(yajl_val object, const char *name) {
  return YAJL_GET_STRING(yajl_tree_get(object, (const char *[]){name, NULL}, yajl_t_string));
}

char *error_text(const char *stored) {
  if (*stored != '{') return xstrdup(stored);
  yajl_val tree = yajl_tree_parse(stored, NULL, 0);
  const char *kind = tree ? field(tree, "kind") : NULL;
  const char *message = tree ? field(tree, "message") : NULL;
  char *text = xstrdup(kind && message ? message : stored);
  yajl_tree_free(tree);
  return text;
}
