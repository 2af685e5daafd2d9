/* The call of uv_spawn and what it needs. */
#include "worker/pool/executor_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FD_COUNT = 6, FIRST_FREE_FD = 10 /* above the descriptors that uv_spawn sets up in the child */ };

int executor_open_program(struct err *err) {
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
  if (high < 0)
    err_set(err, ERR_RETRY, EXIT_FAILED, "cannot open its own program file /proc/self/exe: %s", strerror(errno));
  if (fd >= 0) close(fd);
  return high;
}

/* The host's own settings are not for handlers. */
static bool is_for_handlers(const char *variable) {
  return strncmp(variable, "DATABASE_URL=", 13) != 0 && strncmp(variable, "PG", 2) != 0 &&
         strncmp(variable, "LUAFLOW_", 8) != 0;
}

static void fill_stdio(uv_stdio_container_t stdio[FD_COUNT], const struct executor_streams *streams, int snapshot) {
  for (int fd = 0; fd < 3; fd++) stdio[fd] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = fd};
  if (streams->output[0]) {
    stdio[0] = (uv_stdio_container_t){.flags = UV_IGNORE};
    for (int i = 0; i < 2; i++)
      stdio[i + 1] =
          (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = streams->output[i]};
  }
  stdio[3] = (uv_stdio_container_t){.flags = UV_CREATE_PIPE | UV_READABLE_PIPE | UV_WRITABLE_PIPE,
                                    .data.stream = streams->channel};
  stdio[4] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = snapshot};
  stdio[5] = (uv_stdio_container_t){.flags = UV_INHERIT_FD, .data.fd = streams->pulse};
}

int executor_spawn(uv_loop_t *loop, uv_process_t *handle, const struct executor_options *options,
                   const struct executor_streams *streams, uv_exit_cb reaped) {
  bool is_script = options->mode == LOAD_SCRIPT;
  char program[32], snapshot_path[32];
  char *arguments[] = {"luaflow", "executor", NULL};
  uv_stdio_container_t stdio[FD_COUNT];
  snprintf(program, sizeof program, "/proc/self/fd/%d", options->program);
  snprintf(snapshot_path, sizeof snapshot_path, "/proc/self/fd/%d", options->snapshot);
  int snapshot = open(snapshot_path, O_RDONLY | O_CLOEXEC); /* with its own offset */
  if (snapshot < 0) return -errno;
  fill_stdio(stdio, streams, snapshot);
  char **environment = is_script ? NULL : env_file_merge(options->env_file, environ, is_for_handlers);
  const uv_process_options_t spawning = {
      .exit_cb = reaped,
      .file = program,
      .args = arguments,
      .env = environment,
      .flags = is_script ? 0 : UV_PROCESS_DETACHED,
      .stdio = stdio,
      .stdio_count = FD_COUNT,
  };
  int status = uv_spawn(loop, handle, &spawning);
  free(environment);
  close(snapshot);
  return status;
}
