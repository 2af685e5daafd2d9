/* Reading two snapshots side by side. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "worker/source/snapshot.h"

struct mapped {
  char *bytes; /* NULL while size is 0, or where it cannot be mapped */
  size_t size;
};

static struct mapped map(int fd) {
  struct stat info;
  struct mapped mapped = {0};
  if (fstat(fd, &info) != 0 || info.st_size == 0) return mapped;
  void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) return mapped;
  return (struct mapped){.bytes = bytes, .size = (size_t)info.st_size};
}

static void unmap(struct mapped *mapped) {
  if (mapped->bytes) munmap(mapped->bytes, mapped->size);
}

bool snapshot_same(int a, int b) {
  struct mapped first = map(a), second = map(b);
  bool same = first.size == second.size && (first.size == 0 || memcmp(first.bytes, second.bytes, first.size) == 0);
  unmap(&first);
  unmap(&second);
  return same;
}

/* A file of a snapshot. */
struct file {
  struct text path, content;
  bool there; /* false behind the last one */
};

static struct file next(struct cursor *cursor) {
  struct file file = {0};
  if (cursor->pos >= cursor->len) return file;
  file.path = cursor_text(cursor);
  file.content = cursor_text(cursor);
  file.there = !cursor->bad;
  return file;
}

static int compare_texts(struct text a, struct text b) {
  size_t shorter = a.length < b.length ? a.length : b.length;
  int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
  return order ? order : (a.length > b.length) - (a.length < b.length);
}

struct list {
  struct file *files;
  size_t count;
};

static int compare_files(const void *a, const void *b) {
  return compare_texts(((const struct file *)a)->path, ((const struct file *)b)->path);
}

/* By path: the walk sorts the names of each folder alone. */
static struct list list_files(const struct mapped *mapped) {
  struct cursor cursor = {.data = mapped->bytes, .len = mapped->size};
  struct list list = {0};
  for (struct file file = next(&cursor); file.there; file = next(&cursor)) {
    list.files = xrealloc(list.files, (list.count + 1) * sizeof *list.files);
    list.files[list.count++] = file;
  }
  if (list.count) qsort(list.files, list.count, sizeof *list.files, compare_files);
  return list;
}

void snapshot_compare(int before, int after, void (*visit)(void *owner, enum snapshot_change change, struct text path),
                      void *owner) {
  struct mapped first = map(before), second = map(after);
  struct list old = list_files(&first), new = list_files(&second);
  size_t i = 0, k = 0;
  while (i < old.count || k < new.count) {
    int order = i == old.count ? 1 : k == new.count ? -1 : compare_texts(old.files[i].path, new.files[k].path);
    if (order < 0)
      visit(owner, SNAPSHOT_REMOVED, old.files[i].path);
    else if (order > 0)
      visit(owner, SNAPSHOT_ADDED, new.files[k].path);
    else if (compare_texts(old.files[i].content, new.files[k].content) != 0)
      visit(owner, SNAPSHOT_CHANGED, new.files[k].path);
    i += order <= 0;
    k += order >= 0;
  }
  free(old.files);
  free(new.files);
  unmap(&first);
  unmap(&second);
}
