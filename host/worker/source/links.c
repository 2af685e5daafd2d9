/* Resolving a path step by step, as the kernel does. */
#include "worker/source/links.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"

enum { LINKS_MAX = 40 /* as the kernel's limit */ };

struct walk {
  struct buf done; /* the resolved part, without a slash at its end; empty for "/" */
  char *rest;      /* what is still to be resolved */
};

static const char *done(struct walk *walk) {
  buf_reserve(&walk->done, 1);
  walk->done.data[walk->done.len] = '\0';
  return walk->done.len > 0 ? walk->done.data : "/";
}

static void step_up(struct walk *walk) {
  while (walk->done.len > 0 && walk->done.data[--walk->done.len] != '/') continue;
}

/* Takes the first name off the rest; NULL if there is none. Owned by the caller. */
static char *next_name(struct walk *walk) {
  size_t slashes = strspn(walk->rest, "/"), length = strcspn(walk->rest + slashes, "/");
  if (length == 0) return NULL;
  char *name = xmemdup(walk->rest + slashes, length), *rest = xstrdup(walk->rest + slashes + length);
  free(walk->rest);
  walk->rest = rest;
  return name;
}

/* The walk continues at the link's target. */
static void follow(struct walk *walk, const char *target) {
  char *rest = xasprintf("%s/%s", target, walk->rest);
  free(walk->rest);
  walk->rest = rest;
  if (*target == '/') buf_clear(&walk->done);
}

void links_each_folder(const char *path, void (*report)(void *owner, const char *folder), void *owner) {
  char *folder = *path == '/' ? NULL : getcwd(NULL, 0);
  struct walk walk = {.rest = folder ? xasprintf("%s/%s", folder, path) : xstrdup(path)};
  free(folder);
  int links = 0;
  for (char *name; (name = next_name(&walk)); free(name)) {
    if (strcmp(name, ".") == 0) continue;
    if (strcmp(name, "..") == 0) {
      step_up(&walk);
      continue;
    }
    char target[PATH_MAX];
    char *here = xasprintf("%s/%s", walk.done.len > 0 ? done(&walk) : "", name);
    ssize_t length = readlink(here, target, sizeof target - 1);
    free(here);
    if (length < 0) {
      buf_printf(&walk.done, "/%s", name);
    } else if (links++ < LINKS_MAX) {
      target[length] = '\0';
      report(owner, done(&walk));
      follow(&walk, target);
    }
  }
  buf_free(&walk.done);
  free(walk.rest);
}
