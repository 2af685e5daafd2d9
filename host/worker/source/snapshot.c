/* Walking the root and writing the memory file. */
#include "worker/source/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/process_start.h"
#include "base/xalloc.h"
#include "worker/source/links.h"

/* A root that holds more is a mistake, such as a home folder. */
enum { ENTRIES_MAX = 200000, BYTES_MAX = 256 << 20 };

/* A folder on the way down from the root, so that a link back to one of them is noticed. */
struct ancestor {
  const struct ancestor *parent;
  dev_t device;
  ino_t inode;
};

struct walk {
  const char *root;
  struct buf out;
  int entries;
  struct snapshot_events events;
  void *owner;
  struct err *err;
};

static bool fail(struct walk *walk, const char *path) {
  int number = errno;
  err_set(walk->err, ERR_CONFIG, EXIT_USAGE, "%s%s%s: %s", walk->root, *path ? "/" : "", path, strerror(number));
  process_lacks_files(number, walk->err);
  return false;
}

static void warn(const struct walk *walk, const char *path, const char *why) {
  if (walk->events.warn) walk->events.warn(walk->owner, path, why);
}

static void tell_folder(const struct walk *walk, const char *path) {
  if (walk->events.folder) walk->events.folder(walk->owner, path);
}

/* What a link leads to may change where it lies. */
static void tell_target(const struct walk *walk, const char *full) {
  if (!walk->events.folder) return;
  links_each_folder(full, walk->events.folder, walk->owner);
  char *target = realpath(full, NULL);
  char *slash = target ? strrchr(target, '/') : NULL;
  if (slash && slash != target) {
    *slash = '\0';
    tell_folder(walk, target);
  }
  free(target);
}

static bool too_much(struct walk *walk) {
  err_set(walk->err, ERR_CONFIG, EXIT_USAGE, "root %s: it has too many files", walk->root);
  return err_hint(walk->err, "give a smaller root with --root, or mark it with a file .luaflow-root");
}

/* Appends the whole content as a text. */
static bool put_content(struct walk *walk, int fd, const char *path) {
  char piece[16384];
  size_t start = walk->out.len;
  buf_put_u32(&walk->out, 0); /* the length, filled in below */
  for (;;) {
    ssize_t length = read(fd, piece, sizeof piece);
    if (length < 0) return fail(walk, path);
    if (length == 0) break;
    buf_put(&walk->out, piece, (size_t)length);
    if (walk->out.len > BYTES_MAX) return too_much(walk);
  }
  uint32_t size = (uint32_t)(walk->out.len - start - sizeof size);
  memcpy(walk->out.data + start, &size, sizeof size);
  return true;
}

static bool put_file(struct walk *walk, const char *path) {
  char *full = xasprintf("%s/%s", walk->root, path);
  int fd = open(full, O_RDONLY | O_CLOEXEC);
  free(full);
  if (fd < 0) return errno == ENOENT || fail(walk, path); /* a link to nowhere, or just removed */
  buf_put_str(&walk->out, path);
  bool good = put_content(walk, fd, path);
  close(fd);
  return good;
}

static bool walk_folder(struct walk *walk, const char *path, const struct ancestor *folder);

static bool is_wanted(const struct dirent *entry) {
  return entry->d_name[0] != '.' && strcmp(entry->d_name, "node_modules") != 0;
}

static bool walk_entry(struct walk *walk, const char *path, const struct ancestor *folder) {
  struct stat info, link;
  const char *dot = strrchr(path, '.');
  char *full = xasprintf("%s/%s", walk->root, path);
  int status = stat(full, &info);
  bool is_link = lstat(full, &link) == 0 && (S_ISLNK(link.st_mode) || status != 0);
  if (is_link && status == 0) tell_target(walk, full);
  free(full);
  if (++walk->entries > ENTRIES_MAX) return too_much(walk);
  if (is_link && status != 0) warn(walk, path, "the link leads to nothing"); /* else it was just removed */
  if (status != 0) return true;
  if (S_ISREG(info.st_mode)) return !dot || strcmp(dot, ".lua") != 0 || put_file(walk, path);
  if (!S_ISDIR(info.st_mode)) return true;
  for (const struct ancestor *a = folder; a; a = a->parent)
    if (a->device == info.st_dev && a->inode == info.st_ino) return true;
  const struct ancestor below = {.parent = folder, .device = info.st_dev, .inode = info.st_ino};
  return walk_folder(walk, path, &below);
}

static bool walk_folder(struct walk *walk, const char *path, const struct ancestor *folder) {
  struct dirent **names;
  char *full = *path ? xasprintf("%s/%s", walk->root, path) : xstrdup(walk->root);
  tell_folder(walk, full);
  int count = scandir(full, &names, NULL, alphasort);
  free(full);
  if (count < 0 && errno == EACCES) {
    warn(walk, path, "the folder cannot be read, so no module in it can be required");
    return true;
  }
  if (count < 0) return errno == ENOENT || fail(walk, path);
  bool good = true;
  for (int i = 0; i < count; i++) {
    if (good && is_wanted(names[i])) {
      char *below = *path ? xasprintf("%s/%s", path, names[i]->d_name) : xstrdup(names[i]->d_name);
      good = walk_entry(walk, below, folder);
      free(below);
    }
    free(names[i]);
  }
  free(names);
  return good;
}

static int seal(const struct buf *content, struct err *err) {
  int fd = memfd_create("luaflow-modules", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  size_t pos = 0;
  while (fd >= 0 && pos < content->len) {
    ssize_t length = write(fd, content->data + pos, content->len - pos);
    if (length < 0) break;
    pos += (size_t)length;
  }
  if (fd >= 0 && pos == content->len &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
    return fd;
  int number = errno;
  err_set(err, ERR_RETRY, EXIT_FAILED, "cannot keep the modules in memory: %s", strerror(number));
  if (number == EFBIG) err_hint(err, "raise the limit of a file's size (ulimit -f, LimitFSIZE= in a systemd unit)");
  process_lacks_files(number, err);
  if (fd >= 0) close(fd);
  return -1;
}

int snapshot_take(const char *root, const struct snapshot_events *events, void *owner, struct err *err) {
  struct walk walk = {.root = root, .owner = owner, .err = err};
  struct stat info;
  int fd = -1;
  if (events) walk.events = *events;
  if (stat(root, &info) != 0) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "root %s: %s", root, strerror(errno));
    return -1;
  }
  const struct ancestor top = {.device = info.st_dev, .inode = info.st_ino};
  if (walk_folder(&walk, "", &top)) fd = seal(&walk.out, err);
  buf_free(&walk.out);
  return fd;
}
