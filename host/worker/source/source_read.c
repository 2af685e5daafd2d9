/* One request to libuv's thread pool. */
#include "worker/source/source_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "worker/source/links.h"

struct request {
  uv_work_t work;
  const char *root;
  const struct env_place *env_file;
  struct source_reading reading;
  void (*done)(void *owner, struct source_reading *reading);
  void *owner;
};

static void on_warning(void *owner, const char *path, const char *why) {
  struct source_reading *reading = owner;
  buf_put_str(&reading->warnings, path);
  buf_put_str(&reading->warnings, why);
}

static void on_folder(void *owner, const char *path) {
  struct source_reading *reading = owner;
  buf_put_str(&reading->folders, path);
}

/* The file may be a link, and whatever leads to it may change. */
static void tell_env_folders(struct source_reading *reading, const char *path) {
  const char *slash = strrchr(path, '/');
  char *given = slash ? xmemdup(path, (size_t)(slash - path) + (slash == path)) : xstrdup(".");
  char *folder = realpath(given, NULL), *target = realpath(path, NULL);
  links_each_folder(path, on_folder, reading);
  if (folder) on_folder(reading, folder);
  if (target) {
    *strrchr(target, '/') = '\0';
    on_folder(reading, *target ? target : "/");
  }
  free(given);
  free(folder);
  free(target);
}

static void read_now(uv_work_t *work) {
  static const struct snapshot_events events = {.warn = on_warning, .folder = on_folder};
  struct request *request = work->data;
  struct source_reading *reading = &request->reading;
  links_each_folder(request->root, on_folder, reading);
  if (request->env_file->path) tell_env_folders(reading, request->env_file->path);
  reading->good = source_take(&reading->source, request->root, request->env_file, &events, reading, &reading->err);
}

static void on_read(uv_work_t *work, int status) {
  struct request *request = work->data;
  (void)status; /* nobody cancels it */
  request->done(request->owner, &request->reading);
  source_free(&request->reading.source);
  buf_free(&request->reading.folders);
  buf_free(&request->reading.warnings);
  free(request);
}

void source_read(uv_loop_t *loop, const char *root, const struct env_place *env_file,
                 void (*done)(void *owner, struct source_reading *reading), void *owner) {
  struct request *request = xcalloc(1, sizeof *request);
  *request =
      (struct request){.root = root, .env_file = env_file, .reading.source.snapshot = -1, .done = done, .owner = owner};
  request->work.data = request;
  uv_queue_work(loop, &request->work, read_now, on_read);
}
