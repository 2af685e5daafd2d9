/* Creating folders, with those above them. */
#include "base/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/xalloc.h"

bool folder_make(const char *path) {
  char *folder = xstrdup(path);
  for (char *end = folder + 1; *end; end++) {
    if (*end != '/') continue;
    *end = '\0';
    mkdir(folder, 0777); /* a failure here shows again at the last one */
    *end = '/';
  }
  bool made = mkdir(folder, 0777) == 0;
  struct stat info;
  int reason = errno;
  if (!made && reason == EEXIST) {
    made = stat(folder, &info) == 0 && S_ISDIR(info.st_mode);
    if (!made) reason = ENOTDIR;
  }
  free(folder);
  errno = made ? 0 : reason;
  return made;
}
