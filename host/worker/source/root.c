/* Finding the root folder and checking paths against it. */
#include "worker/source/root.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"

static char *current_folder(void) {
  char *folder = getcwd(NULL, 0);
  return folder ? folder : xstrdup("/");
}

/* Absolute and without ".", ".." and doubled slashes; links are left as they are, so that a linked folder stays below
 * its root. */
static char *absolute(const char *path) {
  char *folder = *path == '/' ? xstrdup("") : current_folder();
  char *joined = xasprintf("%s/%s", folder, path);
  struct buf out = {0};
  char *rest = joined;
  for (char *name; (name = strsep(&rest, "/"));) {
    if (*name == '\0' || strcmp(name, ".") == 0) continue;
    if (strcmp(name, "..") == 0) {
      while (out.len > 0 && out.data[--out.len] != '/') continue;
      continue;
    }
    buf_printf(&out, "/%s", name);
  }
  char *result = out.len ? xmemdup(out.data, out.len) : xstrdup("/");
  buf_free(&out);
  free(joined);
  free(folder);
  return result;
}

static bool holds(const char *folder, const char *name) {
  struct stat info;
  char *path = xasprintf("%s/%s", folder, name);
  bool there = stat(path, &info) == 0;
  free(path);
  return there;
}

char *root_find(const char *path) {
  char *folder = absolute(path);
  while (*folder) {
    if (holds(folder, ".git") || holds(folder, ".luaflow-root")) return folder;
    *strrchr(folder, '/') = '\0';
  }
  free(folder);
  return current_folder();
}

/* The part of path behind the root; NULL if it is not below. */
static const char *below(const char *root, const char *path) {
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  if (strncmp(root, path, length) != 0) return NULL;
  if (path[length] == '\0') return path + length;
  return path[length] == '/' ? path + length + 1 : NULL;
}

/* Owned by the caller. NULL if outside, also when links are followed. */
static char *path_below(const char *root, const char *path) {
  const char *inside = below(root, path);
  if (inside) return xstrdup(inside);
  char *real_root = realpath(root, NULL);
  char *real_path = realpath(path, NULL);
  inside = real_root && real_path ? below(real_root, real_path) : NULL;
  char *result = xstrdup(inside);
  free(real_root);
  free(real_path);
  return result;
}

static bool check_kind(const char *given, const char *path, struct err *err) {
  struct stat info;
  const char *dot = strrchr(path, '.');
  if (stat(path, &info) != 0) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s", given, strerror(errno));
    return err_hint(err, "give the path of a .lua file or of a folder of .lua files");
  }
  if (S_ISDIR(info.st_mode)) return true;
  if (dot && strcmp(dot, ".lua") == 0) return true;
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: it is neither a folder nor a .lua file", given);
}

static bool add_entry(struct entries *entries, const char *given, bool root_given, struct err *err) {
  if (*given == '\0') return err_set(err, ERR_CONFIG, EXIT_USAGE, "PATH: the value is empty");
  if (strstr(given, "://")) { /* not repeated: it may be the database's, with a password */
    err_set(err, ERR_CONFIG, EXIT_USAGE, "PATH: a URI was given instead of a .lua file or a folder");
    return err_hint(err, "give the database with --database or DATABASE_URL");
  }
  char *path = absolute(given);
  bool good = check_kind(given, path, err);
  if (good) {
    char *inside = path_below(entries->root, path);
    if (inside) {
      entries->paths[entries->count++] = inside;
    } else {
      good = err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: it is outside the root %s", given, entries->root);
      if (!root_given) err_hint(err, "give the root with --root, or mark it with a file .luaflow-root");
    }
  }
  free(path);
  return good;
}

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool entries_find(struct entries *entries, const char *root, const char *const *paths, size_t count, struct err *err) {
  *entries = (struct entries){.paths = xcalloc(count, sizeof *entries->paths)};
  if (count == 0) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "PATH is missing");
    entries_free(entries);
    return false;
  }
  entries->root = root ? absolute(root) : root_find(paths[0]);
  bool good =
      is_folder(entries->root) || err_set(err, ERR_CONFIG, EXIT_USAGE, "root %s: it is not a folder", entries->root);
  for (size_t i = 0; i < count && good; i++) good = add_entry(entries, paths[i], root, err);
  if (!good) entries_free(entries);
  return good;
}

void entries_free(struct entries *entries) {
  for (size_t i = 0; i < entries->count; i++) free(entries->paths[i]);
  free(entries->paths);
  free(entries->root);
  *entries = (struct entries){0};
}
