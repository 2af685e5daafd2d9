/* --env-file: what is read are names and values, the same once they are written again; and no message tells a value. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "fuzz.h"
#include "worker/source/env_file.h"

#define SECRET "s3cr3t"

const struct fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("A=1\n\n# no\n B = two words \nC=\"q=1 \"\nD=\nA=3"),
    FUZZ_SEED("\357\273\277URL=postgresql://u:" SECRET "@h/d # comment\r\n"),
    FUZZ_SEED("J='{\"a\": \"" SECRET "\"}'\nK=\"a \"b\" c\"\n_x1=#\n"),
    FUZZ_SEED("export " SECRET "\n"),
    {NULL, 0},
};

const struct fuzz_seed fuzz_words[] = {
    FUZZ_SEED("\n"),   FUZZ_SEED("="),    FUZZ_SEED("\""),           FUZZ_SEED("'"),  FUZZ_SEED(" #"),
    FUZZ_SEED("\r\n"), FUZZ_SEED("A="),   FUZZ_SEED(SECRET),         FUZZ_SEED("\0"), FUZZ_SEED(" "),
    FUZZ_SEED("%s"),   FUZZ_SEED("\377"), FUZZ_SEED("\357\273\277"), {NULL, 0},
};

static bool read_bytes(struct env_file *file, const void *bytes, size_t length, struct err *err) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) fd = memfd_create("env", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  FUZZ_CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, bytes, length, 0) == (ssize_t)length);
  return env_file_read(file, &(struct env_place){.path = path, .source = "--env-file"}, err);
}

static void check_variables(const struct env_file *file) {
  for (size_t i = 0; i < file->count; i++) {
    const char *variable = file->variables[i];
    size_t name = strcspn(variable, "=");
    FUZZ_CHECK(name > 0 && variable[name] == '=' && !isdigit((unsigned char)*variable));
    for (size_t c = 0; c < name; c++) FUZZ_CHECK(isalnum((unsigned char)variable[c]) || variable[c] == '_');
    FUZZ_CHECK(!strchr(variable, '\n'));
    for (size_t j = 0; j < i; j++) FUZZ_CHECK(strncmp(file->variables[j], variable, name + 1) != 0);
  }
}

/* A value between quotes is itself, unless such a quote followed by a comment is in it. */
static void check_written_again(const struct env_file *file) {
  struct buf text = {0};
  struct env_file again;
  struct err err;
  for (size_t i = 0; i < file->count; i++) {
    size_t name = strcspn(file->variables[i], "=");
    const char *value = file->variables[i] + name + 1;
    if (strchr(value, '"')) {
      buf_free(&text);
      return;
    }
    buf_printf(&text, "%.*s=\"%s\"\n", (int)name, file->variables[i], value);
  }
  FUZZ_CHECK(read_bytes(&again, text.data, text.len, &err));
  FUZZ_CHECK(again.count == file->count);
  for (size_t i = 0; i < again.count; i++) FUZZ_CHECK(strcmp(again.variables[i], file->variables[i]) == 0);
  env_file_free(&again);
  buf_free(&text);
}

static bool keep_all(const char *variable) { return *variable != '\0'; }

bool fuzz_one(const uint8_t *bytes, size_t length) {
  static char *environment[] = {(char *)"A=0", (char *)"PATH=/bin", NULL};
  struct env_file file;
  struct err err = {0};
  bool good = read_bytes(&file, bytes, length, &err);
  if (good) {
    check_variables(&file);
    check_written_again(&file);
    free(env_file_merge(&file, environment, keep_all));
  } else {
    FUZZ_CHECK(!strstr(err.message, SECRET) && !strstr(err.hint, SECRET));
  }
  env_file_free(&file);
  return good;
}
