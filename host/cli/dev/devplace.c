/* Paths by a hash of the root, and a lock on a state file: a lock that a kill -9 releases as well. */
#include "cli/dev/devplace.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { STATE_SIZE = 4096 };

/* FNV-1a, 64 bits. */
static uint64_t hash(const char *text) {
  uint64_t value = 0xcbf29ce484222325u;
  for (; *text; text++) value = (value ^ (unsigned char)*text) * 0x100000001b3u;
  return value;
}

static const char *home_folder(void) {
  const char *home = getenv("HOME");
  if (home && *home == '/') return home;
  const struct passwd *entry = getpwuid(geteuid());
  return entry && entry->pw_dir && *entry->pw_dir == '/' ? entry->pw_dir : NULL;
}

char *devplace_folder(const char *root, struct err *err) {
  unsigned long long id = hash(root);
  if (geteuid() == 0) return xasprintf("/var/lib/luaflow/%016llx", id);
  const char *state = getenv("XDG_STATE_HOME");
  if (state && *state == '/') return xasprintf("%s/luaflow/%016llx", state, id);
  const char *home = home_folder();
  if (home) return xasprintf("%s/.local/state/luaflow/%016llx", home, id);
  err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: there is no home folder to keep the database in");
  err_hint(err, "set HOME or XDG_STATE_HOME, or give a folder with --data");
  return NULL;
}

char *devplace_socket_folder(const char *folder) {
  return xasprintf("/tmp/luaflow-%d-%016llx", (int)geteuid(), (unsigned long long)hash(folder));
}

/* Creates the folder and those above it. False with errno, and with the path cut at the one that cannot be created. */
static bool make_all(char *path, mode_t mode) {
  for (char *end = strchr(path + 1, '/');; end = strchr(end + 1, '/')) {
    if (end) *end = '\0';
    if (mkdir(path, mode) != 0 && errno != EEXIST) return false;
    if (!end) return true;
    *end = '/';
  }
}

bool devplace_make(const char *folder, mode_t mode, struct err *err) {
  char *path = xstrdup(folder);
  struct stat info;
  int failure = make_all(path, mode) ? ENOTDIR : errno;
  bool there = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
  if (!there) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: the folder %s cannot be created: %s", path, strerror(failure));
    err_hint(err, "dev needs a folder that its account can write: give one with --data, or set HOME or XDG_STATE_HOME");
  }
  free(path);
  return there;
}

/* Behind the conninfo. */
static const char ready_mark[] = "\nready";

/* What the file holds, terminated: the owner's process id and a line feed, then the conninfo once there is one, and
 * then the mark. */
static void read_state(int fd, char text[STATE_SIZE]) {
  ssize_t length = pread(fd, text, STATE_SIZE - 1, 0);
  text[length > 0 ? length : 0] = '\0';
}

static bool write_state(int fd, const char *conninfo, bool ready, struct err *err) {
  char text[STATE_SIZE];
  int length = snprintf(text, sizeof text, "%d\n%s%s", (int)getpid(), conninfo, ready ? ready_mark : "");
  if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)length, 0) == length) return true;
  return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: the state file cannot be written: %s", strerror(errno));
}

/* A lock of the open file, so that it ends with the last descriptor; programs started by this one do not inherit
 * that. */
static struct flock whole_file(short type) { return (struct flock){.l_type = type, .l_whence = SEEK_SET}; }

bool devlock_take(struct devlock *lock, const char *path, const char *what, struct err *err) {
  lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (lock->fd < 0) return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s cannot be opened: %s", path, strerror(errno));
  struct flock whole = whole_file(F_WRLCK);
  if (fcntl(lock->fd, F_OFD_SETLK, &whole) == 0) {
    if (write_state(lock->fd, "", false, err)) return true;
  } else if (errno == EAGAIN || errno == EACCES) {
    char text[STATE_SIZE];
    read_state(lock->fd, text);
    int digits = (int)strcspn(text, "\n");
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: a luaflow dev already runs for %s (process %.*s)", what, digits, text);
    err_hint(err,
             "press Ctrl-C in its terminal, or: kill %.*s; to use its database run luaflow COMMAND in the folder of "
             "its flows",
             digits, text);
  } else {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s cannot be locked: %s", path, strerror(errno));
  }
  close(lock->fd);
  lock->fd = -1;
  return false;
}

bool devlock_publish(const struct devlock *lock, const char *conninfo, bool ready, struct err *err) {
  return write_state(lock->fd, conninfo, ready, err);
}

void devlock_release(struct devlock *lock) {
  if (lock->fd < 0) return;
  if (ftruncate(lock->fd, 0) != 0) errno = 0; /* without the lock its text means nothing anyway */
  close(lock->fd);
  lock->fd = -1;
}

enum devlock_state devlock_look(const char *path, char **conninfo) {
  *conninfo = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return DEVLOCK_FREE;
  struct flock whole = whole_file(F_RDLCK);
  bool held = fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
  char text[STATE_SIZE];
  read_state(fd, text);
  close(fd);
  if (!held) return DEVLOCK_FREE;
  const char *feed = strchr(text, '\n');
  if (!feed || feed[1] == '\0') return DEVLOCK_STARTING;
  size_t length = strcspn(feed + 1, "\n");
  *conninfo = xmemdup(feed + 1, length);
  return strcmp(feed + 1 + length, ready_mark) == 0 ? DEVLOCK_READY : DEVLOCK_DATABASE;
}
