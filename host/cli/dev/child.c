/* fork and exec by hand; between the two only system calls, since another library may have threads. */
#include "cli/dev/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

bool account_find(const char *const *names, struct account *account) {
  for (; *names; names++) {
    const struct passwd *entry = getpwnam(*names);
    if (!entry) continue;
    *account = (struct account){.uid = entry->pw_uid, .gid = entry->pw_gid, .group_count = ACCOUNT_GROUPS};
    snprintf(account->name, sizeof account->name, "%s", entry->pw_name);
    if (getgrouplist(entry->pw_name, entry->pw_gid, account->groups, &account->group_count) < 0)
      account->group_count = ACCOUNT_GROUPS; /* the first ones are enough to read its files */
    return true;
  }
  return false;
}

static bool is_private(const char *variable) {
  return strncmp(variable, "PG", 2) == 0 || strncmp(variable, "LUAFLOW_", 8) == 0 ||
         strncmp(variable, "DATABASE_URL=", 13) == 0;
}

/* The environment for the child; the array is owned by the caller, the strings are not. */
static char **make_environment(bool without_pg) {
  size_t count = 0, kept = 0;
  while (environ[count]) count++;
  char **copy = xcalloc(count + 1, sizeof *copy);
  for (size_t i = 0; i < count; i++)
    if (!without_pg || !is_private(environ[i])) copy[kept++] = environ[i];
  return copy;
}

static bool become(const struct account *account) {
  return setgroups((size_t)account->group_count, account->groups) == 0 && setgid(account->gid) == 0 &&
         setuid(account->uid) == 0;
}

static bool redirect(int output) {
  int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, STDIN_FILENO) < 0) return false;
  return output < 0 || (dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0);
}

static void reset_signals(void) {
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child; returns only on failure, with errno set. */
static void run(const struct child_options *options, char **environment, pid_t parent) {
  setsid();
  reset_signals();
  if (options->account && !become(options->account)) return;
  /* After the change of account, which clears it; and the parent may already have ended. */
  if (prctl(PR_SET_PDEATHSIG, options->death_signal) != 0 || getppid() != parent) return;
  if (!redirect(options->output)) return;
  if (options->pass > 0 && fcntl(options->pass, F_SETFD, 0) != 0) return;
  if (options->folder && chdir(options->folder) != 0) return;
  execve(options->program, (char *const *)options->argv, environment);
}

/* Reads the errno that a child writes if it cannot exec; 0 once exec has closed the pipe. */
static int read_failure(int fd) {
  int failure = 0;
  ssize_t got;
  do {
    got = read(fd, &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == (ssize_t)sizeof failure ? failure : 0;
}

pid_t child_start(const struct child_options *options, struct err *err) {
  int report[2];
  if (pipe2(report, O_CLOEXEC) != 0) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "%s: cannot create a pipe: %s", options->argv[0], strerror(errno));
    return -1;
  }
  char **environment = make_environment(options->without_pg);
  pid_t parent = getpid();
  pid_t pid = fork();
  if (pid == 0) {
    run(options, environment, parent);
    int failure = errno;
    ssize_t unused = write(report[1], &failure, sizeof failure);
    (void)unused;
    _exit(127);
  }
  int failure = pid < 0 ? errno : 0;
  close(report[1]);
  if (pid > 0) failure = read_failure(report[0]);
  close(report[0]);
  free(environment);
  if (failure == 0) return pid;
  int status;
  if (pid > 0) child_ended(pid, true, &status);
  err_set(err, ERR_CONFIG, EXIT_FAILED, "%s: the program cannot be started: %s", options->program, strerror(failure));
  return -1;
}

bool child_ended(pid_t pid, bool wait, int *status) {
  pid_t got;
  do {
    got = waitpid(pid, status, wait ? 0 : WNOHANG);
  } while (got < 0 && errno == EINTR);
  return got == pid;
}
