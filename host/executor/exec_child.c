/* Becomes the program of ctx:exec. Knows neither Lua nor libuv. */
#include "executor/exec_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { EXIT_NOT_STARTED = 127 };

int exec_child_main(char **arguments) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_range(EXEC_REPORT_FD + 1, ~0U, 0);
  if (fcntl(EXEC_REPORT_FD, F_SETFD, FD_CLOEXEC) == 0 && arguments[0]) execvp(arguments[0], arguments);
  int code = errno;
  if (write(EXEC_REPORT_FD, &code, sizeof code) != sizeof code) return EXIT_NOT_STARTED;
  return EXIT_NOT_STARTED;
}
