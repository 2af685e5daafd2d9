/* Creates what the private server needs on disk, for the account that it runs under. */
#include "cli/dev/devfiles.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "cli/dev/devplace.h"

#define VERSIONED_PROGRAMS "/usr/lib/postgresql/*/bin"

enum { LEAST_VERSION = 15, LAST_BYTES = 4096, REMOVE_DESCRIPTORS = 16 };

static bool has_program(const char *folder, const char *name) {
  char *path = xasprintf("%s/%s", folder, name);
  bool found = access(path, X_OK) == 0;
  free(path);
  return found;
}

static bool has_server(const char *folder) { return has_program(folder, "postgres") && has_program(folder, "initdb"); }

/* The version in /usr/lib/postgresql/VERSION/bin. */
static int version_of(const char *folder) { return atoi(folder + strcspn(VERSIONED_PROGRAMS, "*")); }

/* wanted 0: the highest from LEAST_VERSION on. */
static char *find_versioned(int wanted) {
  glob_t found;
  char *best = NULL;
  int best_version = LEAST_VERSION - 1;
  if (glob(VERSIONED_PROGRAMS, 0, NULL, &found) != 0) return NULL;
  for (size_t i = 0; i < found.gl_pathc; i++) {
    int version = version_of(found.gl_pathv[i]);
    if ((wanted && version != wanted) || version <= best_version || !has_server(found.gl_pathv[i])) continue;
    best_version = version;
    free(best);
    best = xstrdup(found.gl_pathv[i]);
  }
  globfree(&found);
  return best;
}

static char *find_on_path(void) {
  const char *path = getenv("PATH");
  for (; path && *path; path += strspn(path, ":")) {
    size_t length = strcspn(path, ":");
    char *folder = xmemdup(path, length);
    if (*folder == '/' && has_server(folder)) return folder;
    free(folder);
    path += length;
  }
  return NULL;
}

char *devfiles_find_programs(const char *data, struct err *err) {
  char *file = xasprintf("%s/PG_VERSION", data);
  int wanted = (int)devfiles_read_pid(file);
  free(file);
  char *programs = find_versioned(wanted);
  if (!programs) programs = find_on_path();
  if (programs) return programs;
  if (wanted) {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: the data was created by PostgreSQL %d, which is not installed", wanted);
    err_hint(err, "install postgresql-%d, or delete the data and start over with --reset", wanted);
  } else {
    err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: no PostgreSQL server of version %d or newer is installed",
            LEAST_VERSION);
    err_hint(err, "apt-get install postgresql");
  }
  return NULL;
}

bool devfiles_has_library(const char *programs, const char *name) {
  char *path = xasprintf("%s/../lib/%s.so", programs, name);
  bool found = access(path, R_OK) == 0;
  free(path);
  return found;
}

static bool fail_file(const char *path, struct err *err) {
  return err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s: %s", path, strerror(errno));
}

/* Files that a database folder may have in addition to the server's data. */
static bool is_ours(const char *name) {
  static const char *const names[] = {".",
                                      "..",
                                      "pgdata",
                                      "pgdata.new",
                                      "dev.state",
                                      "postgres.log",
                                      "postgres.log.old",
                                      "initdb.log",
                                      "initdb.log.old"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static bool holds_other_things(const char *folder) {
  DIR *open_folder = opendir(folder);
  const struct dirent *entry;
  bool other = false;
  while (open_folder && !other && (entry = readdir(open_folder))) other = !is_ours(entry->d_name);
  if (open_folder) closedir(open_folder);
  return other;
}

bool devfiles_open_folder(const char *folder, const struct account *account, struct err *err) {
  struct stat info;
  if (holds_other_things(folder)) {
    err_set(err, ERR_CONFIG, EXIT_USAGE, "dev: folder %s has files that do not belong to a dev database", folder);
    return err_hint(err, "give an empty or new folder with --data");
  }
  if (!devplace_make(folder, account ? 0755 : 0700, err)) return false;
  if (!account) return true;
  /* The account only needs to pass through; the data inside belongs to it. */
  if (stat(folder, &info) != 0 || chmod(folder, (info.st_mode & 07777) | 0011) != 0) return fail_file(folder, err);
  return true;
}

bool devfiles_make_private(const char *folder, const struct account *account, struct err *err) {
  uid_t owner = account ? account->uid : geteuid();
  if (mkdir(folder, 0700) == 0) {
    if (account && chown(folder, account->uid, account->gid) != 0) return fail_file(folder, err);
    return true;
  }
  if (errno != EEXIST) return fail_file(folder, err);
  struct stat info;
  if (lstat(folder, &info) != 0) return fail_file(folder, err);
  if (S_ISDIR(info.st_mode) && info.st_uid == owner && (info.st_mode & 077) == 0) return true;
  err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s already exists and is not a private folder of its user", folder);
  return err_hint(err, "delete it");
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info;
  (void)type;
  (void)where;
  return remove(path);
}

bool devfiles_remove(const char *folder, struct err *err) {
  if (nftw(folder, remove_one, REMOVE_DESCRIPTORS, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT) return true;
  return fail_file(folder, err);
}

char *devfiles_read(const char *path, struct err *err) {
  FILE *in = fopen(path, "re");
  char *text = NULL;
  size_t size = 0;
  ssize_t length = in ? getdelim(&text, &size, '\0', in) : -1;
  bool good = in && !ferror(in);
  if (!good) err_set(err, ERR_CONFIG, EXIT_FAILED, "dev: %s cannot be read: %s", path, strerror(errno));
  if (in) fclose(in);
  if (good && length > 0) return text;
  free(text);
  return good ? xstrdup("") : NULL;
}

int devfiles_open_log(const char *file, const struct account *account, struct err *err) {
  char *old = xasprintf("%s.old", file);
  rename(file, old); /* the first time there is none */
  free(old);
  int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    fail_file(file, err);
    return -1;
  }
  if (account && fchown(fd, account->uid, account->gid) != 0) {
    fail_file(file, err);
    close(fd);
    return -1;
  }
  return fd;
}

bool devfiles_explain(const char *file, const char *what, struct err *err) {
  char text[LAST_BYTES + 1] = "";
  FILE *in = fopen(file, "re");
  if (in) {
    if (fseek(in, -(long)LAST_BYTES, SEEK_END) != 0) rewind(in);
    text[fread(text, 1, LAST_BYTES, in)] = '\0';
    fclose(in);
  }
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == '\n') text[--length] = '\0';
  /* initdb ends by saying what it cleans up; the reason is the last line that speaks of an error. */
  const char *reason = strrchr(text, '\n') ? strrchr(text, '\n') + 1 : text;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    if (strstr(line, "error:") || strstr(line, "FATAL:")) reason = line;
  err_set(err, ERR_CONFIG, EXIT_FAILED, "%s: %s", what, *reason ? reason : "its log is empty");
  return err_hint(err, "see %s", file);
}

pid_t devfiles_read_pid(const char *file) {
  FILE *in = fopen(file, "re");
  if (!in) return 0;
  char line[32] = "";
  if (!fgets(line, sizeof line, in)) line[0] = '\0';
  fclose(in);
  return (pid_t)atoi(line);
}

bool devfiles_same(const char *a, const char *b) {
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}
