/* The snapshot mapped into memory, and its files by path. */
#include "executor/modules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <uthash.h>

#include "base/xalloc.h"

struct module {
  struct text path;
  struct text content;
  UT_hash_handle hh;
};

struct modules {
  char *bytes; /* mapped; NULL while size is 0 */
  size_t size;
  struct module *by_path;
};

static void add(struct modules *modules, struct text path, struct text content) {
  struct module *module = xcalloc(1, sizeof *module);
  module->path = path;
  module->content = content.bytes ? content : (struct text){.bytes = "", .length = 0};
  HASH_ADD_KEYPTR(hh, modules->by_path, module->path.bytes, module->path.length, module);
}

struct modules *modules_open(int fd, struct err *err) {
  struct stat stat;
  struct modules *modules = xcalloc(1, sizeof *modules);
  if (fstat(fd, &stat) < 0) goto failed;
  modules->size = (size_t)stat.st_size;
  if (modules->size) {
    modules->bytes = mmap(NULL, modules->size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (modules->bytes == MAP_FAILED) goto failed;
  }
  struct cursor cursor = {.data = modules->bytes, .len = modules->size};
  while (cursor.pos < cursor.len && !cursor.bad) {
    struct text path = cursor_text(&cursor), content = cursor_text(&cursor);
    if (!cursor.bad && path.bytes) add(modules, path, content);
  }
  if (!cursor.bad) return modules;
  err_set(err, ERR_BUG, EXIT_FAILED, "snapshot: cut short");
  modules_free(modules);
  return NULL;

failed:
  err_set(err, ERR_BUG, EXIT_FAILED, "snapshot: %s", strerror(errno));
  free(modules);
  return NULL;
}

void modules_free(struct modules *modules) {
  struct module *module, *next;
  if (!modules) return;
  HASH_ITER(hh, modules->by_path, module, next) {
    HASH_DEL(modules->by_path, module);
    free(module);
  }
  if (modules->bytes) munmap(modules->bytes, modules->size);
  free(modules);
}

bool modules_find(const struct modules *modules, const char *path, struct text *content) {
  struct module *module;
  HASH_FIND(hh, modules->by_path, path, strlen(path), module);
  if (module) *content = module->content;
  return module != NULL;
}

void modules_each(const struct modules *modules, void (*each)(void *context, struct text path), void *context) {
  for (const struct module *module = modules->by_path; module; module = module->hh.next) each(context, module->path);
}
