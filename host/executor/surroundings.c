/* Compares each part of the process's state with what was noted, by system calls that cost well under a microsecond
 * each. */
#include "executor/surroundings.h"

#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/xalloc.h"

enum {
  SIGNALS = 32,    /* below it: those that have names */
  OWN_FILES = 5,   /* standard streams, channel, snapshot */
  FILES_SPARE = 8, /* descriptors that must be left */
  MASK_SIZE = 8,   /* bytes of a sigset_t that the kernel fills */
  TIMERS = 3,      /* ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF */
};

/* How the kernel serves the process. */
struct scheduling {
  int nice;
  int class, priority;
  int io; /* class and priority of its reads and writes */
  cpu_set_t processors;
};

/* What prctl tells by a call without arguments. */
static const struct option {
  int get, set;
} options[] = {
    {PR_GET_TIMERSLACK, PR_SET_TIMERSLACK},
    {PR_GET_NO_NEW_PRIVS, PR_SET_NO_NEW_PRIVS},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct surroundings {
  int folder; /* descriptor of the current folder; -1 if it cannot be opened */
  struct stat folder_is;
  mode_t mask;
  struct rlimit limits[RLIM_NLIMITS];
  sigset_t blocked;
  struct sigaction actions[SIGNALS];
  bool timers[TIMERS]; /* was running: not looked at */
  int rounding;
  char *locale;          /* owned */
  char **environment;    /* owned array of borrowed texts */
  char **environment_is; /* owned: the array that the process uses once it was put back */
  size_t environment_size;
  struct stat files[OWN_FILES];
  struct scheduling scheduling;
  long options[OPTIONS];
  int death_signal; /* that the end of the host sends */
  uid_t user;
  gid_t group;
};

static bool is_same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* ---- the parts: each is told apart from what was noted, and put back if put_back is set ---- */

static bool folder_differs(struct surroundings *noted, bool put_back) {
  struct stat now;
  if (noted->folder < 0 || (stat(".", &now) == 0 && is_same_file(&now, &noted->folder_is))) return false;
  return !put_back || fchdir(noted->folder) < 0;
}

static bool mask_differs(struct surroundings *noted, bool put_back) {
  mode_t now = umask(noted->mask);
  if (now != noted->mask && !put_back) umask(now);
  return now != noted->mask && !put_back;
}

static bool limits_differ(struct surroundings *noted, bool put_back) {
  bool differ = false;
  for (int i = 0; i < RLIM_NLIMITS; i++) {
    struct rlimit now;
    const struct rlimit *limit = &noted->limits[i];
    if (getrlimit((__rlimit_resource_t)i, &now) < 0) continue;
    if (now.rlim_cur == limit->rlim_cur && now.rlim_max == limit->rlim_max) continue;
    differ = differ || !put_back || setrlimit((__rlimit_resource_t)i, limit) < 0;
  }
  return differ;
}

static bool blocked_signals_differ(struct surroundings *noted, bool put_back) {
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  if (memcmp(&now, &noted->blocked, MASK_SIZE) == 0) return false;
  return !put_back || sigprocmask(SIG_SETMASK, &noted->blocked, NULL) < 0;
}

/* Flags and mask count only for a function; glibc adds a flag of its own to what it sets again, as system does. */
static bool is_same_action(const struct sigaction *a, const struct sigaction *b) {
  enum { RESTORER = 0x04000000 };
  if (a->sa_handler != b->sa_handler) return false;
  if (a->sa_handler == SIG_DFL || a->sa_handler == SIG_IGN) return true;
  return ((a->sa_flags ^ b->sa_flags) & ~RESTORER) == 0 && memcmp(&a->sa_mask, &b->sa_mask, MASK_SIZE) == 0;
}

static bool actions_differ(struct surroundings *noted, bool put_back) {
  bool differ = false;
  for (int number = 1; number < SIGNALS; number++) {
    struct sigaction now;
    const struct sigaction *action = &noted->actions[number];
    if (number == SIGPROF || sigaction(number, NULL, &now) < 0) continue; /* LuaJIT's profiler starts and stops it */
    if (is_same_action(&now, action)) continue;
    differ = differ || !put_back || sigaction(number, action, NULL) < 0;
  }
  return differ;
}

static bool is_running(int timer) {
  struct itimerval now;
  return getitimer((__itimer_which_t)timer, &now) == 0 && (now.it_value.tv_sec || now.it_value.tv_usec);
}

static bool timers_differ(struct surroundings *noted, bool put_back) {
  static const struct itimerval none;
  bool differ = false;
  for (int timer = 0; timer < TIMERS; timer++)
    if (!noted->timers[timer] && is_running(timer))
      differ = differ || !put_back || setitimer((__itimer_which_t)timer, &none, NULL) < 0;
  return differ;
}

static bool rounding_differs(struct surroundings *noted, bool put_back) {
  if (fegetround() == noted->rounding) return false;
  return !put_back || fesetround(noted->rounding) != 0;
}

static bool locale_differs(struct surroundings *noted, bool put_back) {
  const char *now = setlocale(LC_ALL, NULL);
  if (now && strcmp(now, noted->locale) == 0) return false;
  return !put_back || !setlocale(LC_ALL, noted->locale);
}

static bool is_noted_environment(const struct surroundings *noted) {
  size_t i = 0;
  if (!environ) return noted->environment_size == 0;
  while (i < noted->environment_size && environ[i] == noted->environment[i]) i++;
  return i == noted->environment_size && !environ[i];
}

static bool environment_differs(struct surroundings *noted, bool put_back) {
  if (is_noted_environment(noted)) return false;
  if (!put_back) return true;
  memcpy(noted->environment_is, noted->environment, (noted->environment_size + 1) * sizeof *noted->environment);
  environ = noted->environment_is;
  return false;
}

static bool files_differ(struct surroundings *noted, bool put_back) {
  (void)put_back;
  for (int fd = 0; fd < OWN_FILES; fd++) {
    struct stat now;
    if (fstat(fd, &now) < 0 || !is_same_file(&now, &noted->files[fd])) return true;
  }
  return false;
}

static bool account_differs(struct surroundings *noted, bool put_back) {
  (void)put_back;
  return geteuid() != noted->user || getegid() != noted->group;
}

/* Of this process if pid is 0. What cannot be read is zero. */
static struct scheduling read_scheduling(pid_t pid) {
  enum { OF_PROCESS = 1 };
  struct scheduling now;
  struct sched_param parameters = {0};
  memset(&now, 0, sizeof now); /* compared as bytes */
  now.nice = getpriority(PRIO_PROCESS, (id_t)pid);
  now.class = sched_getscheduler(pid);
  if (sched_getparam(pid, &parameters) == 0) now.priority = parameters.sched_priority;
  now.io = (int)syscall(SYS_ioprio_get, OF_PROCESS, pid);
  if (sched_getaffinity(pid, sizeof now.processors, &now.processors) < 0) CPU_ZERO(&now.processors);
  return now;
}

static bool is_same_scheduling(const struct scheduling *a, const struct scheduling *b) {
  return memcmp(a, b, sizeof *a) == 0;
}

static void write_scheduling(const struct scheduling *noted) {
  enum { OF_PROCESS = 1 };
  const struct sched_param parameters = {.sched_priority = noted->priority};
  if (CPU_COUNT(&noted->processors) > 0) sched_setaffinity(0, sizeof noted->processors, &noted->processors);
  sched_setscheduler(0, noted->class, &parameters);
  setpriority(PRIO_PROCESS, 0, noted->nice);
  syscall(SYS_ioprio_set, OF_PROCESS, 0, noted->io);
}

/* What the host has as well comes from outside: an administrator, or a container that was given other processors. */
static bool scheduling_differs(struct surroundings *noted, bool put_back) {
  struct scheduling now = read_scheduling(0);
  if (is_same_scheduling(&now, &noted->scheduling)) return false;
  struct scheduling of_host = read_scheduling(getppid());
  if (is_same_scheduling(&now, &of_host)) {
    noted->scheduling = now;
    return false;
  }
  if (put_back) write_scheduling(&noted->scheduling);
  return !put_back;
}

static long read_option(size_t i) { return syscall(SYS_prctl, options[i].get, 0, 0, 0, 0); }

static bool options_differ(struct surroundings *noted, bool put_back) {
  int signal = noted->death_signal;
  bool differ = false;
  for (size_t i = 0; i < OPTIONS; i++)
    if (read_option(i) != noted->options[i])
      differ = differ || !put_back || prctl(options[i].set, noted->options[i], 0, 0, 0) < 0;
  if (prctl(PR_GET_PDEATHSIG, &signal) == 0 && signal != noted->death_signal)
    differ = differ || !put_back || prctl(PR_SET_PDEATHSIG, noted->death_signal) < 0;
  return differ;
}

/* True if the part differs; with put_back, if it still does. */
static const struct part {
  const char *name;
  bool (*differs)(struct surroundings *noted, bool put_back);
} parts[] = {
    {"current folder", folder_differs},
    {"file mode mask", mask_differs},
    {"resource limits", limits_differ},
    {"blocked signals", blocked_signals_differ},
    {"signal handlers", actions_differ},
    {"timers", timers_differ},
    {"rounding", rounding_differs},
    {"locale", locale_differs},
    {"environment variables", environment_differs},
    {"scheduling", scheduling_differs},
    {"process options", options_differ},
    {"descriptors", files_differ},
    {"account", account_differs},
};

static void put_name(struct buf *names, const char *name) { buf_printf(names, "%s%s", names->len ? ", " : "", name); }

bool surroundings_restore(struct surroundings *surroundings, struct buf *changed, struct buf *lost) {
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    if (!parts[i].differs(surroundings, false)) continue;
    bool is_lost = parts[i].differs(surroundings, true) || parts[i].differs(surroundings, false);
    put_name(changed, parts[i].name);
    if (is_lost) put_name(lost, parts[i].name);
  }
  return lost->len == 0;
}

bool surroundings_lack_files(void) {
  struct rlimit limit;
  int lowest = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
  if (lowest < 0) return true;
  close(lowest);
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 && (rlim_t)lowest + FILES_SPARE >= limit.rlim_cur;
}

static void note_environment(struct surroundings *noted) {
  while (environ && environ[noted->environment_size]) noted->environment_size++;
  noted->environment = xcalloc(noted->environment_size + 1, sizeof *noted->environment);
  noted->environment_is = xcalloc(noted->environment_size + 1, sizeof *noted->environment_is);
  if (environ) memcpy(noted->environment, environ, noted->environment_size * sizeof *noted->environment);
}

struct surroundings *surroundings_note(void) {
  struct surroundings *noted = xcalloc(1, sizeof *noted);
  noted->folder = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (noted->folder >= 0 && fstat(noted->folder, &noted->folder_is) < 0) noted->folder = -1;
  noted->mask = umask(0);
  umask(noted->mask);
  for (int i = 0; i < RLIM_NLIMITS; i++) getrlimit((__rlimit_resource_t)i, &noted->limits[i]);
  sigprocmask(SIG_SETMASK, NULL, &noted->blocked);
  for (int number = 1; number < SIGNALS; number++) sigaction(number, NULL, &noted->actions[number]);
  for (int timer = 0; timer < TIMERS; timer++) noted->timers[timer] = is_running(timer);
  noted->rounding = fegetround();
  noted->locale = xstrdup(setlocale(LC_ALL, NULL));
  note_environment(noted);
  for (int fd = 0; fd < OWN_FILES; fd++)
    if (fstat(fd, &noted->files[fd]) < 0) noted->files[fd] = (struct stat){0};
  noted->scheduling = read_scheduling(0);
  for (size_t i = 0; i < OPTIONS; i++) noted->options[i] = read_option(i);
  prctl(PR_GET_PDEATHSIG, &noted->death_signal);
  noted->user = geteuid();
  noted->group = getegid();
  return noted;
}

void surroundings_free(struct surroundings *surroundings) {
  if (!surroundings) return;
  if (surroundings->folder >= 0) close(surroundings->folder);
  free(surroundings->locale);
  free(surroundings->environment);
  free(surroundings->environment_is);
  free(surroundings);
}
