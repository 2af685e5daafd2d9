/* Raises the limit of open files, and hides a host from the processes of its own account. */
#include "base/process_start.h"

#include <sys/prctl.h>
#include <sys/resource.h>

enum {
  FILES_MAX = 65536, /* some programs that handlers start close every descriptor up to the limit, one by one */
  FILES_LEAST = 64   /* what is assumed if the limit cannot be read */
};

static void allow_many_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  rlim_t wanted = limit.rlim_max < FILES_MAX ? limit.rlim_max : FILES_MAX;
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/* Handlers run under the host's account. The kernel now refuses them the host's /proc/PID/environ, its memory and ptrace;
 * the price is that the host leaves no core file. exec ends it, so that executors are not hidden from themselves. */
static void hide(void) { prctl(PR_SET_DUMPABLE, 0); }

void process_start(enum process_kind kind) {
  allow_many_files();
  if (kind == PROCESS_HOST) hide();
}

int process_files(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return FILES_LEAST;
  return limit.rlim_cur < FILES_MAX ? (int)limit.rlim_cur : FILES_MAX;
}
