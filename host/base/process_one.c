/* Does for a container what its process 1 must: reaps orphans, which nobody else can, and passes signals on. */
#include "base/process_one.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child leads its own group, in the foreground of the terminal if there is one: what the terminal sends reaches
 * it once. */
static void become_program(const sigset_t *all) {
  setpgid(0, 0);
  signal(SIGTTOU, SIG_IGN);
  tcsetpgrp(STDIN_FILENO, getpgrp()); /* fails without a terminal */
  signal(SIGTTOU, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, all, NULL);
}

/* Reaps what has ended. The wait status of the program once that has; else -1. */
static int reap(pid_t program) {
  int status, ended = -1;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == program) ended = status;
  return ended;
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

void process_leave_pid_one(int argc, char **argv) {
  sigset_t all;
  if (getpid() != 1) return;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  pid_t program = fork();
  if (program < 0) {
    perror("luaflow: fork");
    _exit(EXIT_FAILURE);
  }
  if (program == 0) {
    become_program(&all);
    return;
  }
  for (int i = 1; i < argc; i++) memset(argv[i], '*', strlen(argv[i]));
  for (;;) {
    int number = sigwaitinfo(&all, NULL);
    int ended = reap(program);
    if (ended >= 0) _exit(exit_code(ended));
    if (number > 0 && number != SIGCHLD) kill(program, number);
  }
}
