/* A signal to the group, then a look through /proc for those that have left the group and not the session. */
#include "worker/pool/session.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3 /* of looking, since what is killed may have forked meanwhile */ };

/* In /proc/PID/stat the command's name, which may hold anything, comes before: "PID (NAME) STATE PPID GROUP SESSION
 * ...". */
static bool is_of_session(const char *pid, pid_t leader) {
  char path[288], text[512], state;
  int parent, group, session;
  snprintf(path, sizeof path, "/proc/%s/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  text[length > 0 ? length : 0] = '\0';
  const char *rest = strrchr(text, ')');
  return rest && sscanf(rest, ") %c %d %d %d", &state, &parent, &group, &session) == 4 && session == leader &&
         state != 'Z';
}

static bool kill_found(pid_t leader) {
  DIR *processes = opendir("/proc");
  const struct dirent *entry;
  bool found = false;
  while (processes && (entry = readdir(processes))) {
    if (!isdigit((unsigned char)*entry->d_name) || !is_of_session(entry->d_name, leader)) continue;
    found = true;
    kill(atoi(entry->d_name), SIGKILL);
  }
  if (processes) closedir(processes);
  return found;
}

void session_kill(pid_t leader) {
  kill(-leader, SIGKILL);
  for (int round = 0; round < ROUNDS && kill_found(leader); round++) continue;
}
