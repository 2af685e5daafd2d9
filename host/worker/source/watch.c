/* One notification handle for each folder. A folder that is moved away or replaced takes its handle's watch with it,
 * so all are set again before every look. */
#include "worker/source/watch.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <uthash.h>

#include "base/xalloc.h"

enum {
  BURST_MS = 200, /* who waits for a shorter quiet than this has a burst that lasts longer looked at meanwhile */
  COMPARE_MS = 2000,
};

struct folder {
  uv_fs_event_t handle;
  struct watch *watch;
  char *path;
  bool wanted;
  bool kept;         /* for a file of other data */
  UT_hash_handle hh; /* by path */
};

/* Of other data. */
struct watched_file {
  char *path; /* absolute, without links */
  struct stat was;
  struct watched_file *next;
};

struct watch {
  uv_timer_t timer;     /* the quiet, or the next look without notifications */
  int settle_ms;        /* of quiet before a look */
  uint64_t burst_since; /* 0: none */
  struct folder *folders;
  struct watched_file *files;
  char *root;     /* without links */
  char *env_name; /* of the environment file in its folder; NULL: none */
  bool compares;  /* without notifications */
  void (*changed)(void *owner);
  void *owner;
  struct log *log;
};

/* ---- without notifications ---- */

static void on_compare(uv_timer_t *timer) {
  struct watch *watch = timer->data;
  watch->changed(watch->owner);
}

static void on_folder_closed(uv_handle_t *handle) {
  struct folder *folder = handle->data;
  free(folder->path);
  free(folder);
}

static void forget(struct watch *watch, struct folder *folder) {
  HASH_DEL(watch->folders, folder);
  uv_close((uv_handle_t *)&folder->handle, on_folder_closed);
}

static void forget_all(struct watch *watch) {
  struct folder *folder, *next;
  HASH_ITER(hh, watch->folders, folder, next) forget(watch, folder);
}

static void compare_from_now_on(struct watch *watch, const char *reason, const char *hint) {
  LOG(watch->log, LOG_WARN, "watching_by_comparing", LOG_STR("reason", reason), LOG_INT("every_ms", COMPARE_MS),
      LOG_STR("hint", hint));
  watch->compares = true;
  forget_all(watch);
  uv_timer_start(&watch->timer, on_compare, COMPARE_MS, COMPARE_MS);
}

/* File systems that others write to without a notification here. */
static bool is_remote(const char *path) {
  static const unsigned long kinds[] = {0x6969 /* NFS */,      0x01021997 /* 9P */,   0xFF534D42 /* CIFS */,
                                        0xFE534D42 /* SMB2 */, 0x65735546 /* FUSE */, 0x786F4256 /* vboxsf */};
  struct statfs info;
  if (statfs(path, &info) != 0) return false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if ((unsigned long)info.f_type == kinds[i]) return true;
  return false;
}

/* ---- notifications ---- */

static void on_event(uv_fs_event_t *handle, const char *name, int events, int status);

/* False if notifications are not available at all. A removed folder does not count as such a failure. */
static bool start(struct folder *folder) {
  struct watch *watch = folder->watch;
  int status = uv_fs_event_start(&folder->handle, on_event, folder->path, 0);
  if (status == 0 || status == UV_ENOENT || status == UV_ENOTDIR || status == UV_EACCES) return true;
  compare_from_now_on(watch, uv_strerror(status),
                      "raise fs.inotify.max_user_watches or fs.inotify.max_user_instances (sysctl)");
  return false;
}

static void on_quiet(uv_timer_t *timer) {
  struct watch *watch = timer->data;
  struct folder *folder, *next;
  watch->burst_since = 0;
  HASH_ITER(hh, watch->folders, folder, next) {
    uv_fs_event_stop(&folder->handle);
    if (!start(folder)) break;
  }
  watch->changed(watch->owner);
}

static bool is_hasty(const struct watch *watch) { return watch->settle_ms < BURST_MS; }

static bool ends_in_lua(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && strcmp(dot, ".lua") == 0;
}

static bool find_file(const struct watch *watch, const char *path) {
  for (const struct watched_file *file = watch->files; file; file = file->next)
    if (strcmp(file->path, path) == 0) return true;
  return false;
}

/* A notification names what is in the folder, or the folder itself by its own name. */
static bool concerns_us(const struct folder *folder, const char *name) {
  struct stat info;
  struct folder *known;
  if (!name) return true;
  if (*name != '.' && ends_in_lua(name)) return true;
  if (folder->watch->env_name && strcmp(name, folder->watch->env_name) == 0) return true;
  if (strcmp(name, strrchr(folder->path, '/') + 1) == 0) return true;
  char *path = xasprintf("%s/%s", folder->path, name);
  bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
  bool is_file = find_file(folder->watch, path);
  HASH_FIND_STR(folder->watch->folders, path, known); /* it was one */
  free(path);
  return is_folder || is_file || known;
}

static void note_change(struct watch *watch) {
  uint64_t now = uv_now(watch->timer.loop);
  if (!watch->burst_since) watch->burst_since = now;
  if (!is_hasty(watch) || now - watch->burst_since < BURST_MS)
    uv_timer_start(&watch->timer, on_quiet, (uint64_t)watch->settle_ms, 0);
}

static void on_event(uv_fs_event_t *handle, const char *name, int events, int status) {
  struct folder *folder = handle->data;
  struct watch *watch = folder->watch;
  (void)events;
  if (status != 0 || concerns_us(folder, name)) note_change(watch);
}

/* ---- folders ---- */

/* True if it was not watched before. Sets compares if it cannot be. */
static bool add(struct watch *watch, const char *path) {
  struct folder *folder;
  HASH_FIND_STR(watch->folders, path, folder);
  bool is_new = !folder;
  if (is_new) {
    folder = xcalloc(1, sizeof *folder);
    folder->watch = watch;
    folder->path = xstrdup(path);
    folder->handle.data = folder;
    uv_fs_event_init(watch->timer.loop, &folder->handle);
    HASH_ADD_STR(watch->folders, path, folder);
  }
  folder->wanted = true;
  return is_new && start(folder);
}

static void forget_unwanted(struct watch *watch) {
  struct folder *folder, *next;
  HASH_ITER(hh, watch->folders, folder, next) {
    if (!folder->wanted && !folder->kept) forget(watch, folder);
  }
}

bool watch_update(struct watch *watch, const struct buf *folders, bool complete) {
  struct cursor cursor = {.data = folders->data, .len = folders->len};
  struct folder *folder, *next;
  bool more = false;
  HASH_ITER(hh, watch->folders, folder, next) folder->wanted = !complete;
  while (!watch->compares && cursor.pos < cursor.len && !cursor.bad) {
    char *path = cursor_strdup(&cursor);
    more = add(watch, path) || more;
    free(path);
  }
  if (!watch->compares) forget_unwanted(watch);
  if (more && !watch->compares && !is_hasty(watch)) note_change(watch); /* nobody knows how quiet it was there */
  bool look_again =
      !watch->compares && !complete && !uv_is_active((uv_handle_t *)&watch->timer); /* a root may come back */
  if (look_again) uv_timer_start(&watch->timer, on_quiet, COMPARE_MS, 0);
  return more && !watch->compares && is_hasty(watch);
}

/* ---- other data ---- */

void watch_add_file(struct watch *watch, const char *given) {
  char *path = realpath(given, NULL);
  size_t length = strlen(watch->root);
  bool below = path && strncmp(path, watch->root, length) == 0 && path[length] == '/' && !ends_in_lua(path);
  if (!below || find_file(watch, path)) {
    free(path);
    return;
  }
  struct watched_file *file = xcalloc(1, sizeof *file);
  *file = (struct watched_file){.path = path, .next = watch->files};
  if (stat(path, &file->was) != 0) memset(&file->was, 0, sizeof file->was);
  watch->files = file;
  if (watch->compares) return;
  struct folder *folder;
  char *place = xstrdup(path);
  *strrchr(place, '/') = '\0';
  add(watch, place);
  HASH_FIND_STR(watch->folders, place, folder);
  if (folder) folder->kept = true;
  free(place);
}

bool watch_files_are_new(struct watch *watch) {
  bool is_new = false;
  for (struct watched_file *file = watch->files; file; file = file->next) {
    struct stat now = {0};
    if (stat(file->path, &now) != 0) memset(&now, 0, sizeof now);
    is_new = is_new || now.st_ino != file->was.st_ino || now.st_size != file->was.st_size ||
             now.st_mtim.tv_sec != file->was.st_mtim.tv_sec || now.st_mtim.tv_nsec != file->was.st_mtim.tv_nsec;
    file->was = now;
  }
  return is_new;
}

bool watch_is_settled(const struct watch *watch) {
  return watch->compares || is_hasty(watch) || watch->burst_since == 0;
}

bool watch_compares(const struct watch *watch) { return watch->compares; }

void watch_look_again(struct watch *watch) {
  uint64_t wait_ms = (uint64_t)watch->settle_ms;
  if (uv_timer_get_due_in(&watch->timer) > wait_ms) uv_timer_start(&watch->timer, on_compare, wait_ms, COMPARE_MS);
}

struct watch *watch_new(uv_loop_t *loop, const char *root, const char *env_file, int settle_ms,
                        void (*changed)(void *owner), void *owner, struct log *log) {
  struct watch *watch = xcalloc(1, sizeof *watch);
  const char *slash = env_file ? strrchr(env_file, '/') : NULL;
  *watch = (struct watch){.settle_ms = settle_ms, .changed = changed, .owner = owner, .log = log};
  watch->root = realpath(root, NULL);
  if (!watch->root) watch->root = xstrdup(root);
  watch->env_name = xstrdup(slash ? slash + 1 : env_file);
  uv_timer_init(loop, &watch->timer);
  watch->timer.data = watch;
  if (is_remote(root))
    compare_from_now_on(watch, "the root is on a network file system", NULL);
  else
    uv_timer_start(&watch->timer, on_quiet, 0, 0);
  return watch;
}

static void on_timer_closed(uv_handle_t *handle) {
  struct watch *watch = handle->data;
  for (struct watched_file *file = watch->files, *next; file; file = next) {
    next = file->next;
    free(file->path);
    free(file);
  }
  free(watch->root);
  free(watch->env_name);
  free(watch);
}

void watch_free(struct watch *watch) {
  if (!watch) return;
  forget_all(watch);
  uv_close((uv_handle_t *)&watch->timer, on_timer_closed);
}
