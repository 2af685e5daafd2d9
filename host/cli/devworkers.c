/* Worker processes as children: each in its own session, so that Ctrl-C on the terminal reaches dev alone and every worker is
 * told exactly once. They write to the same standard error; every line of theirs names the queue. */
#include "cli/devworkers.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/xalloc.h"
#include "cli/child.h"

enum { FIRST_BACKOFF_MS = 1000, LAST_BACKOFF_MS = 30000, STEADY_MS = 60000, MOST_FLAGS = 2 * SETTING_COUNT + 16 };

struct devworker {
  char *queue;
  pid_t pid; /* 0: not running */
  long long started_ms;
  long long due_ms; /* when to start it, while it does not run */
  int backoff_ms;   /* before the next start */
};

struct devworkers {
  const struct devworkers_options *options;
  struct log *log;
  bool stopping;
  size_t count;
  struct devworker list[];
};

static long long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

struct devworkers *devworkers_new(const struct devworkers_options *options, const struct load_report *report,
                                  struct log *log) {
  struct devworkers *workers = xcalloc(1, sizeof *workers + report->worker_count * sizeof *workers->list);
  workers->options = options;
  workers->log = log;
  workers->count = report->worker_count;
  for (size_t i = 0; i < workers->count; i++)
    workers->list[i] = (struct devworker){.queue = xstrdup(report->workers[i].queue), .backoff_ms = FIRST_BACKOFF_MS};
  return workers;
}

/* The worker's command line; the array is owned by the caller, the texts are not. */
static const char **make_arguments(const struct devworkers_options *options, const char *queue) {
  const char **argv = xcalloc(MOST_FLAGS + options->path_count, sizeof *argv);
  size_t count = 0;
  const char *const fixed[] = {"luaflow", "worker", "--development", "--database", options->conninfo,
                               "--queue", queue,    "--root",        options->root};
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
  /* This very program, also once its file has been replaced. If dev is killed its workers go at once: they have no database. */
  struct child_options options = {.program = "/proc/self/exe", .argv = argv, .output = -1, .death_signal = SIGKILL};
  struct err err;
  pid_t pid = child_start(&options, &err);
  free(argv);
  worker->started_ms = now_ms();
  worker->pid = pid > 0 ? pid : 0;
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
  if (workers->stopping) return 0;
  if (is_refusal(status)) return WEXITSTATUS(status);
  plan_restart(worker);
  LOG(workers->log, LOG_WARN, "worker_died", LOG_STR("queue", worker->queue),
      LOG_STR("how", WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exited"),
      LOG_INT("code", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)),
      LOG_INT("restart_in_ms", worker->due_ms - now_ms()));
  return 0;
}

int devworkers_tend(struct devworkers *workers) {
  int refused = 0;
  for (size_t i = 0; i < workers->count; i++) {
    struct devworker *worker = &workers->list[i];
    int status;
    if (worker->pid > 0 && child_ended(worker->pid, false, &status)) {
      int code = note_end(workers, worker, status);
      if (code) refused = code;
    }
    if (worker->pid == 0 && !workers->stopping && !refused && worker->due_ms <= now_ms()) start(workers, worker);
  }
  return refused;
}

int devworkers_next_ms(const struct devworkers *workers) {
  long long next = -1;
  for (size_t i = 0; i < workers->count && !workers->stopping; i++) {
    const struct devworker *worker = &workers->list[i];
    if (worker->pid > 0) continue;
    long long left = worker->due_ms - now_ms();
    if (left < 0) left = 0;
    if (next < 0 || left < next) next = left;
  }
  return (int)next;
}

void devworkers_stop(struct devworkers *workers) {
  workers->stopping = true;
  for (size_t i = 0; i < workers->count; i++)
    if (workers->list[i].pid > 0) kill(workers->list[i].pid, SIGTERM);
}

int devworkers_running(const struct devworkers *workers) {
  int running = 0;
  for (size_t i = 0; i < workers->count; i++) running += workers->list[i].pid > 0;
  return running;
}

void devworkers_free(struct devworkers *workers) {
  for (size_t i = 0; i < workers->count; i++) free(workers->list[i].queue);
  free(workers);
}
