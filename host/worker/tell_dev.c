/* One datagram. */
#include "worker/tell_dev.h"

#include <string.h>
#include <sys/socket.h>

bool tell_dev(int socket, enum tell_dev_kind kind, const char *text) {
  char first = (char)kind;
  size_t length = strnlen(text, TELL_DEV_MAX);
  struct iovec parts[] = {{.iov_base = &first, .iov_len = 1}, {.iov_base = (char *)text, .iov_len = length}};
  const struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  return socket >= 0 && sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
}
