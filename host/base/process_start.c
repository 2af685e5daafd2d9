/* Makes every process run the same, whatever started it: streams, signals, file mode mask and limits; and hides a
 * host from the processes of its own account. */
#include "base/process_start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  FILES_MAX = 65536, /* some programs that handlers start close every descriptor up to the limit, one by one */
  FILES_LEAST = 64   /* what is assumed if the limit cannot be read */
};

/* A closed one would be the number of the next file or connection that is opened, and get what is printed. In its
 * place is a file that can only be used the other way round, so that printing still fails and is reported. */
static void open_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) _exit(EXIT_FAILURE);
  }
}

/* Signals that are blocked never arrive: an executor's death is not noticed, nothing stops. An ignored SIGCHLD reaps
 * children before anybody can ask how they ended. Past the limit of a file's size, as a log may grow, writing fails
 * instead of killing. Ignored SIGHUP, SIGINT and SIGPIPE are wishes of the caller (nohup, a background job). */
static void accept_signals(void) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN);
}

/* Files and folders that this process creates are for itself in any case. */
static void keep_own_rights(void) {
  mode_t mask = umask(0);
  umask(mask & ~(mode_t)S_IRWXU);
}

static void allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlim_t wanted = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* Handlers run under the host's account. The kernel now refuses them the host's /proc/PID/environ, its memory and
 * ptrace; the price is that the host leaves no core file. exec ends it, so that executors are not hidden from
 * themselves. */
static void hide(void) { prctl(PR_SET_DUMPABLE, 0); }

void process_start(enum process_kind kind) {
  open_standard_streams();
  accept_signals();
  keep_own_rights();
  allow_many_files();
  if (kind == PROCESS_HOST) hide();
}

bool process_lacks_files(int number, struct err *err) {
  if (number != EMFILE && number != ENFILE) return false;
  err->kind = ERR_RETRY;
  err->exit_code = EXIT_FAILED;
  if (number == EMFILE)
    err_hint(err,
             "this process can open %d files: raise the limit (ulimit -n, LimitNOFILE= in a systemd unit) or give "
             "fewer --executors; a reload needs twice as many",
             process_files());
  else
    err_hint(err, "all processes of this machine together have opened too many files: raise fs.file-max");
  return true;
}

int process_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return FILES_LEAST;
  return limit.rlim_cur < FILES_MAX ? (int)limit.rlim_cur : FILES_MAX;
}
