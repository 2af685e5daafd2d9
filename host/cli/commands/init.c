/* luaflow init: writes the files of a new project, which are those of tools/project. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/embed.h"
#include "base/folder.h"
#include "base/say.h"
#include "base/xalloc.h"
#include "cli/commands/commands.h"

static const char PROJECT[] = "tools/project/";

static bool fail(const char *path, struct err *err) {
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "init: %s: %s", path, strerror(errno));
}

static bool make_folder_of(const char *path, struct err *err) {
  char *folder = xmemdup(path, (size_t)(strrchr(path, '/') - path));
  bool made = folder_make(folder) || fail(folder, err);
  free(folder);
  return made;
}

static bool write_all(int fd, const char *data, size_t length) {
  while (length > 0) {
    ssize_t written = write(fd, data, length);
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) {
      data += written;
      length -= (size_t)written;
    }
  }
  return true;
}

/* The library for editors, installed beside the program; owned by the caller. */
static char *library_folder(void) {
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  program[length > 0 ? length : 0] = '\0';
  char *end = strstr(program, "/bin/");
  return end ? xasprintf("%.*s/share/luaflow/lua", (int)(end - program), program)
             : xstrdup("/usr/local/share/luaflow/lua");
}

/* The text of a template, owned by the caller: LIBRARY stands for the library's folder. */
static char *text_of(const struct embed_file *file) {
  const char *place = strstr(file->data, "LIBRARY");
  if (!place || !strstr(file->path, "luarc")) return xmemdup(file->data, file->length);
  char *library = library_folder();
  char *text = xasprintf("%.*s%s%s", (int)(place - file->data), file->data, library, place + strlen("LIBRARY"));
  free(library);
  return text;
}

/* Whole or not at all, and never in the place of another. */
static bool write_new(const char *path, const struct embed_file *file, struct err *err) {
  if (!make_folder_of(path, err)) return false;
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == EEXIST) {
    say(stdout, "%s: there already, left as it is\n", path);
    return true;
  }
  if (fd < 0) return fail(path, err);
  char *text = text_of(file);
  bool good = write_all(fd, text, strlen(text));
  free(text);
  int reason = errno;
  if (close(fd) != 0 && good) {
    good = false;
    reason = errno;
  }
  errno = reason;
  if (good) {
    say(stdout, "%s\n", path);
  } else {
    fail(path, err);
    unlink(path);
  }
  return good;
}

static bool write_project(const char *folder, struct err *err) {
  size_t count;
  const struct embed_file *files = embed_files(&count);
  bool good = true;
  for (size_t i = 0; i < count && good; i++) {
    if (strncmp(files[i].path, PROJECT, strlen(PROJECT)) != 0) continue;
    char *path = xasprintf("%s/%s", folder, files[i].path + strlen(PROJECT));
    good = write_new(path, &files[i], err);
    free(path);
  }
  return good;
}

int command_init(const struct call *call) {
  const char *folder = call->argc > 0 ? call->argv[0] : ".";
  struct err err;
  if (*folder == '\0') {
    err_set(&err, ERR_CONFIG, EXIT_USAGE, "init: DIR: the value is empty");
    return cli_fail(&err);
  }
  if (!write_project(folder, &err)) return cli_fail(&err);
  say(stdout, "\nNext:\n");
  if (call->argc > 0) say(stdout, "  cd %s\n", folder);
  say(stdout,
      "  luaflow dev                                                     # a database and a worker; Ctrl-C ends them\n"
      "  luaflow start hello '{\"names\": [\"Ada\", \"Grace\"]}' --wait        # in a second terminal, in the same "
      "folder\n"
      "  busted spec                                                     # the specs; Debian: apt install "
      "lua-busted\n");
  return EXIT_DONE;
}
