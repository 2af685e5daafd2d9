#include "pg/pg_intake.h"

#include <errno.h>
#include <sys/socket.h>

enum { NO_BOUND = -1 };

static _Thread_local int64_t left = NO_BOUND;

/* Libraries find this one before that of libc. For libpq an empty socket and a spent bound are the same. */
ssize_t recv(int fd, void *buffer, size_t size, int flags) {
  if (left == NO_BOUND) return recvfrom(fd, buffer, size, flags, NULL, NULL);
  if (left == 0) {
    errno = EAGAIN;
    return -1;
  }
  ssize_t got = recvfrom(fd, buffer, size < (size_t)left ? size : (size_t)left, flags, NULL, NULL);
  if (got > 0) left -= got;
  return got;
}

bool pg_intake(PGconn *conn, int64_t most, int64_t *taken) {
  left = most;
  bool alive = PQconsumeInput(conn) == 1;
  *taken = most - left;
  left = NO_BOUND;
  return alive;
}
