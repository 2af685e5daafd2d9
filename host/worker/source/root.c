/* Finding the root folder and checking paths against it. */
#include "worker/source/root.h"

#include <errno.h>
#include <pwd.h>
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

static bool is_folder(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_same(const struct stat *info, const char *path) {
  struct stat other;
  return path && *path && stat(path, &other) == 0 && other.st_dev == info->st_dev && other.st_ino == info->st_ino;
}

static bool is_whole_machine(const char *folder) {
  struct stat info;
  return *folder == '\0' || (stat(folder, &info) == 0 && is_same(&info, "/"));
}

/* Of the caller, or of the account that owns it. */
static bool is_home(const char *folder) {
  struct stat info;
  if (stat(folder, &info) != 0) return false;
  if (is_same(&info, getenv("HOME"))) return true;
  const struct passwd *owner = getpwuid(info.st_uid);
  return owner && is_same(&info, owner->pw_dir);
}

/* Far more than a project lies below such a folder. */
static bool is_too_wide(const char *folder) { return is_whole_machine(folder) || is_home(folder); }

/* Owned by the caller. */
static char *folder_above(const char *path) {
  size_t length = (size_t)(strrchr(path, '/') - path);
  return length ? xmemdup(path, length) : xstrdup("/");
}

/* The part of path behind the root; NULL if it is not below. */
static const char *below(const char *root, const char *path) {
  size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);
  if (strncmp(root, path, length) != 0) return NULL;
  if (path[length] == '\0') return path + length;
  return path[length] == '/' ? path + length + 1 : NULL;
}

static bool is_around_current_folder(const char *path) {
  char *current = current_folder();
  bool around = below(path, current) != NULL;
  free(current);
  return around;
}

/* Without a mark. Owned by the caller. */
static char *unmarked_root(const char *path) {
  bool folder = is_folder(path);
  if (folder && (is_around_current_folder(path) || holds(path, "flows"))) return xstrdup(path);
  char *above = folder_above(path);
  if (!folder || !is_too_wide(above)) return above;
  free(above);
  return xstrdup(path);
}

char *root_find(const char *path) {
  char *given = absolute(path);
  char *folder = xstrdup(given);
  for (; *folder; *strrchr(folder, '/') = '\0')
    if ((holds(folder, ".git") || holds(folder, ".luaflow-root")) && !is_too_wide(folder)) break;
  char *root = *folder ? xstrdup(folder) : unmarked_root(given);
  free(folder);
  free(given);
  return root;
}

bool root_check_given(const char *root, struct err *err) {
  if (!is_whole_machine(root)) return true;
  err_set(err, ERR_CONFIG, EXIT_USAGE,
          "--root %s: it cannot be the root, the folder that require starts from: it is the whole file system", root);
  return err_hint(err, "give the project's folder with --root DIR");
}

/* Where there was no narrower folder to take. */
static bool check_found(const char *command, const char *root, struct err *err) {
  if (!is_too_wide(root)) return true;
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s cannot be the root, the folder that require starts from: it is %s",
          command, root, is_whole_machine(root) ? "the whole file system" : "a home folder");
  return err_hint(err, "give the folder of your flows, or the root with --root DIR");
}

bool root_choose(const char *command, const char *given, const char *path, char **root, struct err *err) {
  *root = given ? absolute(given) : root_find(path);
  bool good =
      is_folder(*root) || err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: root %s: it is not a folder", command, *root);
  good = good && (given ? root_check_given(*root, err) : check_found(command, *root, err));
  if (good) return true;
  free(*root);
  *root = NULL;
  return false;
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

static bool check_kind(const char *command, const char *given, const char *path, struct err *err) {
  struct stat info;
  const char *dot = strrchr(path, '.');
  if (stat(path, &info) != 0) {
    if (errno == ENOENT)
      err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: there is no file or folder %s", command, given);
    else
      err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s: %s", command, given, strerror(errno));
    return err_hint(err, "give the path of a .lua file or of a folder of .lua files");
  }
  if (S_ISDIR(info.st_mode)) return true;
  if (dot && strcmp(dot, ".lua") == 0) return true;
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s: it is neither a folder nor a .lua file", command, given);
}

static bool add_entry(struct entries *entries, const char *command, const char *given, bool root_given,
                      struct err *err) {
  if (*given == '\0') return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: PATH: the value is empty", command);
  if (strstr(given, "://")) { /* not repeated: it may be the database's, with a password */
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: PATH: a URI was given instead of a .lua file or a folder", command);
    return err_hint(err, "give the database with --database or DATABASE_URL");
  }
  char *path = absolute(given);
  bool good = check_kind(command, given, path, err);
  if (good) {
    char *inside = path_below(entries->root, path);
    if (inside) {
      entries->paths[entries->count++] = inside;
    } else {
      good = err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s: it is outside the root %s", command, given, entries->root);
      if (!root_given) err_hint(err, "give the root with --root, or mark it with a file .luaflow-root");
    }
  }
  free(path);
  return good;
}

bool entries_find(struct entries *entries, const char *command, const char *root, const char *const *paths,
                  size_t count, struct err *err) {
  *entries = (struct entries){.paths = xcalloc(count, sizeof *entries->paths)};
  if (count == 0) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: PATH is missing", command);
    entries_free(entries);
    return false;
  }
  bool good = root_choose(command, root, paths[0], &entries->root, err);
  for (size_t i = 0; i < count && good; i++) good = add_entry(entries, command, paths[i], root, err);
  if (!good) entries_free(entries);
  return good;
}

void entries_free(struct entries *entries) {
  for (size_t i = 0; i < entries->count; i++) free(entries->paths[i]);
  free(entries->paths);
  free(entries->root);
  *entries = (struct entries){0};
}
