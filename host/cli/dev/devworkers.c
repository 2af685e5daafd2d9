/* Worker processes as children: each in its own session, so that Ctrl-C on the terminal reaches dev alone and every
 * worker gets one signal. They write to the same standard error; every line of theirs names the queue. */
#include "cli/dev/devworkers.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

#include "base/xalloc.h"
#include "cli/dev/child.h"
#include "worker/tell_dev.h"

enum {
  FIRST_BACKOFF_MS = 1000,
  CHANGES_MS = 1000,
  LAST_BACKOFF_MS = 30000,
  STEADY_MS = 60000,
  MOST_FLAGS = 2 * SETTING_COUNT + 16
};

struct devworker {
  char *queue;
  pid_t pid;   /* 0: not running */
  bool wanted; /* the files have its queue */
  bool told;   /* asked to end, since the files have its queue no longer */
  bool serves; /* the files that were changed last */
  long long started_ms;
  long long due_ms; /* when to start it, while it does not run */
  int backoff_ms;   /* before the next start */
  struct devworker *prev, *next;
};

struct devworkers {
  const struct devworkers_options *options;
  struct log *log;
  bool stopping;
  bool ready;
  int sockets[2];           /* read here; written by the workers */
  char *error;              /* owned; why the files cannot be loaded, as it was last logged; NULL: they can */
  char *deletion;           /* owned; the last that a worker has announced; NULL: none */
  char *changes;            /* owned; which files were changed last; NULL: none */
  long long changes_due_ms; /* when that is logged though some workers do not serve them; 0: it was */
  struct devworker *list;
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct devworker *find(const struct devworkers *workers, const char *queue) {
  struct devworker *worker;
  DL_FOREACH(workers->list, worker) {
    if (strcmp(worker->queue, queue) == 0) return worker;
  }
  return NULL;
}

/* True if there was none. */
static bool want(struct devworkers *workers, const char *queue) {
  struct devworker *worker = find(workers, queue);
  bool is_new = !worker;
  if (is_new) {
    worker = xcalloc(1, sizeof *worker);
    *worker = (struct devworker){.queue = xstrdup(queue), .backoff_ms = FIRST_BACKOFF_MS};
    DL_APPEND(workers->list, worker);
  }
  worker->wanted = true;
  return is_new;
}

static void drop(struct devworkers *workers, struct devworker *worker) {
  DL_DELETE(workers->list, worker);
  free(worker->queue);
  free(worker);
}

struct devworkers *devworkers_new(const struct devworkers_options *options, const struct load_report *report,
                                  struct log *log) {
  struct devworkers *workers = xcalloc(1, sizeof *workers);
  char number[16];
  *workers = (struct devworkers){.options = options, .log = log, .sockets = {-1, -1}};
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, workers->sockets) == 0) {
    snprintf(number, sizeof number, "%d", workers->sockets[1]);
    setenv(DEV_SOCKET_VARIABLE, number, 1);
  } else {
    LOG(log, LOG_WARN, "queues_not_told", LOG_STR("error", strerror(errno)));
  }
  for (size_t i = 0; i < report->worker_count; i++) want(workers, report->workers[i].queue);
  return workers;
}

/* The worker's command line; the array is owned by the caller, the texts are not. */
static const char **make_arguments(const struct devworkers_options *options, const char *queue) {
  const char **argv = xcalloc(MOST_FLAGS + options->path_count, sizeof *argv);
  size_t count = 0;
  const char *const fixed[] = {"luaflow",         "worker",  "--development", "--watch", "--database",
                               options->conninfo, "--queue", queue,           "--root",  options->root};
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[count++] = fixed[i];
  if (options->settings->executors == 0) {
    argv[count++] = "--executors"; /* there may be many queues */
    argv[count++] = "1";
  }
  for (int i = 0; i < SETTING_COUNT; i++) {
    const char *text = options->settings->from_flag[i];
    if (!text || i == SET_root || !setting_is_for((enum setting)i, FOR_WORKER)) continue;
    argv[count++] = setting_flag((enum setting)i);
    if (*text) argv[count++] = text; /* "" is a switch */
  }
  argv[count++] = "--";
  for (size_t i = 0; i < options->path_count; i++) argv[count++] = options->paths[i];
  return argv;
}

static void plan_restart(struct devworker *worker) {
  if (now_ms() - worker->started_ms > STEADY_MS) worker->backoff_ms = FIRST_BACKOFF_MS;
  worker->due_ms = now_ms() + worker->backoff_ms;
  worker->backoff_ms = worker->backoff_ms * 2 < LAST_BACKOFF_MS ? worker->backoff_ms * 2 : LAST_BACKOFF_MS;
}

static void start(struct devworkers *workers, struct devworker *worker) {
  const char **argv = make_arguments(workers->options, worker->queue);
  /* This very program, also once its file has been replaced. If dev is killed its workers are killed at once: they
   * have no database. */
  struct child_options options = {.program = "/proc/self/exe",
                                  .argv = argv,
                                  .output = -1,
                                  .death_signal = SIGKILL,
                                  .pass = workers->sockets[1] > 0 ? workers->sockets[1] : 0};
  struct err err;
  pid_t pid = child_start(&options, &err);
  free(argv);
  worker->started_ms = now_ms();
  worker->pid = pid > 0 ? pid : 0;
  worker->told = false;
  if (pid > 0) return;
  LOG(workers->log, LOG_ERROR, "worker_not_started", LOG_STR("queue", worker->queue), LOG_STR("error", err.message));
  plan_restart(worker);
}

static bool is_refusal(int status) {
  return WIFEXITED(status) && WEXITSTATUS(status) >= EXIT_USAGE && WEXITSTATUS(status) <= EXIT_REFUSED;
}

/* Notes the end of a worker; returns the exit code of a refusal, else 0. */
static int note_end(struct devworkers *workers, struct devworker *worker, int status) {
  worker->pid = 0;
  if (workers->stopping || worker->told) return 0;
  if (is_refusal(status) && !workers->ready) return WEXITSTATUS(status);
  plan_restart(worker);
  LOG(workers->log, LOG_WARN, "worker_died", LOG_STR("queue", worker->queue),
      LOG_STR("how", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exited"),
      LOG_INT("code", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)),
      LOG_INT("restart_in_ms", worker->due_ms - now_ms()));
  return 0;
}

static void log_changes(struct devworkers *workers) {
  const struct devworker *worker;
  int serving = 0;
  DL_FOREACH(workers->list, worker) serving += worker->serves;
  LOG(workers->log, LOG_INFO, "reloaded", LOG_INT("workers", serving),
      LOG_STR("changes", *workers->changes ? workers->changes : NULL));
  workers->changes_due_ms = 0;
}

/* Once every worker serves them, or that takes too long. */
static void tell_changes(struct devworkers *workers) {
  const struct devworker *worker;
  bool all = true;
  DL_FOREACH(workers->list, worker) all = all && (worker->serves || worker->pid == 0 || worker->told);
  if (workers->changes_due_ms > 0 && (all || workers->changes_due_ms <= now_ms())) log_changes(workers);
}

int devworkers_tend(struct devworkers *workers) {
  struct devworker *worker, *next;
  int refused = 0, status;
  tell_changes(workers);
  DL_FOREACH_SAFE(workers->list, worker, next) {
    if (worker->pid > 0 && child_ended(worker->pid, false, &status)) {
      int code = note_end(workers, worker, status);
      if (code) refused = code;
    }
    if (worker->pid > 0 || workers->stopping) continue;
    if (!worker->wanted)
      drop(workers, worker);
    else if (!refused && worker->due_ms <= now_ms())
      start(workers, worker);
  }
  return refused;
}

void devworkers_set_ready(struct devworkers *workers) { workers->ready = true; }

/* next (-1: nothing is due), or the time until then where that is less. */
static long long sooner(long long next, long long due_ms) {
  long long left = due_ms - now_ms();
  if (left < 0) left = 0;
  return next < 0 || left < next ? left : next;
}

int devworkers_next_ms(const struct devworkers *workers) {
  const struct devworker *worker;
  long long next = -1;
  if (workers->stopping) return -1;
  if (workers->changes_due_ms > 0) next = sooner(next, workers->changes_due_ms);
  DL_FOREACH(workers->list, worker) {
    if (worker->pid == 0) next = sooner(next, worker->due_ms);
  }
  return (int)next;
}

/* ---- queues that are added and removed ---- */

int devworkers_socket(const struct devworkers *workers) { return workers->sockets[0]; }

/* Whatever a worker that does not run has stumbled over may be repaired. */
static void start_soon(struct devworker *worker) {
  if (worker->pid > 0) return;
  worker->due_ms = 0;
  worker->backoff_ms = FIRST_BACKOFF_MS;
}

bool devworkers_wait(const struct devworkers *workers) {
  const struct devworker *worker;
  DL_FOREACH(workers->list, worker) {
    if (worker->pid == 0 && worker->wanted) return true;
  }
  return false;
}

void devworkers_start_soon(struct devworkers *workers) {
  struct devworker *worker;
  LOG(workers->log, LOG_INFO, "starting_again",
      LOG_STR("reason", "the files have changed, so the workers that could not start may now"));
  DL_FOREACH(workers->list, worker) start_soon(worker);
}

size_t devworkers_wanted(const struct devworkers *workers) {
  const struct devworker *worker;
  size_t wanted = 0;
  DL_FOREACH(workers->list, worker) wanted += worker->wanted;
  return wanted;
}

/* "a, b, c" */
static void take_queues(struct devworkers *workers, char *list) {
  struct devworker *worker;
  DL_FOREACH(workers->list, worker) worker->wanted = false;
  for (char *rest = list, *queue; (queue = strsep(&rest, ", "));)
    if (*queue && want(workers, queue)) LOG(workers->log, LOG_INFO, "queue_added", LOG_STR("queue", queue));
  DL_FOREACH(workers->list, worker) {
    if (worker->wanted) {
      start_soon(worker);
    } else if (worker->pid > 0 && !worker->told) {
      worker->told = true;
      LOG(workers->log, LOG_INFO, "queue_removed", LOG_STR("queue", worker->queue));
      kill(worker->pid, SIGTERM);
    }
  }
}

static void take_error(struct devworkers *workers, const char *error) {
  if (workers->error && strcmp(workers->error, error) == 0) return; /* another worker has reported it */
  LOG(workers->log, LOG_ERROR, "reload_refused", LOG_STR("error", error));
  free(workers->error);
  workers->error = xstrdup(error);
}

/* "queue\nchanges". What a worker reports twice was saved twice. */
static void take_changes(struct devworkers *workers, char *text) {
  struct devworker *worker, *other;
  char *changes = text;
  worker = find(workers, strsep(&changes, "\n"));
  if (!worker || !changes) return;
  if (worker->serves || !workers->changes || strcmp(workers->changes, changes) != 0) {
    if (workers->changes_due_ms > 0) log_changes(workers);
    free(workers->changes);
    workers->changes = xstrdup(changes);
    free(workers->deletion);
    workers->deletion = NULL;
    workers->changes_due_ms = now_ms() + CHANGES_MS;
    DL_FOREACH(workers->list, other) other->serves = false;
  }
  worker->serves = true;
}

/* "verb\nflow\nreason\ndifferences" */
static void take_deletion(struct devworkers *workers, char *text) {
  if (workers->deletion && strcmp(workers->deletion, text) == 0) return; /* another worker has reported it */
  free(workers->deletion);
  workers->deletion = xstrdup(text);
  const char *verb = strsep(&text, "\n"), *flow = strsep(&text, "\n"), *reason = strsep(&text, "\n");
  LOG(workers->log, LOG_WARN, verb, LOG_STR("flow", flow), LOG_STR("reason", reason),
      LOG_JSON_TEXT("differences", text));
}

static void take(struct devworkers *workers, char kind, char *text) {
  if (kind == TELL_DEV_ERROR) {
    take_error(workers, text);
    return;
  }
  if (kind == TELL_DEV_SERVES) {
    take_changes(workers, text);
    return;
  }
  if (kind == TELL_DEV_DELETES) {
    take_deletion(workers, text);
    return;
  }
  if (workers->error) LOG(workers->log, LOG_INFO, "files_load_again");
  free(workers->error);
  workers->error = NULL;
  take_queues(workers, text);
}

void devworkers_read(struct devworkers *workers) {
  char *datagram = xmalloc(TELL_DEV_MAX + 2);
  ssize_t length;
  while ((length = recv(workers->sockets[0], datagram, TELL_DEV_MAX + 1, 0)) > 0) {
    datagram[length] = '\0';
    if (!workers->stopping) take(workers, *datagram, datagram + 1);
  }
  free(datagram);
}

/* ---- the end ---- */

void devworkers_stop(struct devworkers *workers) {
  const struct devworker *worker;
  workers->stopping = true;
  DL_FOREACH(workers->list, worker) {
    if (worker->pid > 0) kill(worker->pid, SIGTERM);
  }
}

int devworkers_running(const struct devworkers *workers) {
  const struct devworker *worker;
  int running = 0;
  DL_FOREACH(workers->list, worker) running += worker->pid > 0;
  return running;
}

void devworkers_free(struct devworkers *workers) {
  while (workers->list) drop(workers, workers->list);
  for (int i = 0; i < 2; i++)
    if (workers->sockets[i] >= 0) close(workers->sockets[i]);
  free(workers->error);
  free(workers->changes);
  free(workers->deletion);
  free(workers);
}
