/* Conninfos and the other words of a command line: read or refused, and no refusal of a conninfo tells what stands in
 * it. */
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "fuzz.h"
#include "pg/pg_resolve.h"

#define SECRET "s3cr3t"

/* The first byte: even, a conninfo; odd, words of a command line, a line each. */
const struct fuzz_seed fuzz_seeds[] = {
    FUZZ_SEED("\0host=h port=1 dbname=d user=u password=" SECRET),
    FUZZ_SEED("\0host=a,b,127.0.0.1,::1,/tmp port=1,2,3,4,5 password='" SECRET "\\''"),
    FUZZ_SEED("\0postgresql://u:" SECRET "@h:5432/d?sslmode=require&application_name=a"),
    FUZZ_SEED("\0postgres://u:" SECRET "%40@[::1]:1,h2:2/d?host=/tmp"),
    FUZZ_SEED("\0postgresql://u:" SECRET "%zz@h/d"),
    FUZZ_SEED("\0postgresql+psycopg2://u:" SECRET "@h/d"),
    FUZZ_SEED("\1--grace\n30s\n--executors=2\n--max-output\n16MB\nflows"),
    FUZZ_SEED("\1--env-file\nx\n--watch\n--log-level\ninfo\n--\n--grace"),
    FUZZ_SEED("\1--concurrency\n-1\n--executor-memory\n1GB\n--batch\n99999999999999999999"),
    {NULL, 0},
};

const struct fuzz_seed fuzz_words[] = {
    FUZZ_SEED("="),
    FUZZ_SEED("'"),
    FUZZ_SEED("\\"),
    FUZZ_SEED("@"),
    FUZZ_SEED(":"),
    FUZZ_SEED("/"),
    FUZZ_SEED("%"),
    FUZZ_SEED("%00"),
    FUZZ_SEED("&"),
    FUZZ_SEED("?"),
    FUZZ_SEED("host="),
    FUZZ_SEED("port="),
    FUZZ_SEED("hostaddr="),
    FUZZ_SEED(","),
    FUZZ_SEED(" "),
    FUZZ_SEED("password="),
    FUZZ_SEED(SECRET),
    FUZZ_SEED("postgres://"),
    FUZZ_SEED("["),
    FUZZ_SEED("]"),
    FUZZ_SEED("\n--"),
    FUZZ_SEED("grace"),
    FUZZ_SEED("\n"),
    FUZZ_SEED("1e9"),
    FUZZ_SEED("ms"),
    FUZZ_SEED("GB"),
    FUZZ_SEED("99999999999999999999"),
    {NULL, 0},
};

static bool read_conninfo(const char *text) {
  struct err err = {0};
  struct pg_target *target = pg_target_new("database", text, "fuzz", &err);
  if (!target) {
    FUZZ_CHECK(err.exit_code == EXIT_USAGE && *err.message);
    FUZZ_CHECK(!strstr(err.message, SECRET) && !strstr(err.hint, SECRET));
  }
  pg_target_free(target);
  return target;
}

enum { WORDS_MAX = 32 };

static bool read_words(char *text) {
  char name[] = "worker", *argv[WORDS_MAX + 1] = {name};
  struct settings settings;
  struct err err = {0};
  bool help;
  int argc = 1, rest = 0;
  for (char *word = strtok(text, "\n"); word && argc < WORDS_MAX; word = strtok(NULL, "\n")) argv[argc++] = word;
  bool good = settings_read(&settings, FOR_WORKER, false, argc, argv, &rest, &help, &err);
  FUZZ_CHECK(good || (err.exit_code == EXIT_USAGE && *err.message));
  if (!good || help) return good;
  FUZZ_CHECK(rest >= 1 && rest <= argc);
  FUZZ_CHECK(settings.grace >= 0 && settings.grace <= 86400000);
  FUZZ_CHECK(settings.max_output >= 1024 && settings.max_output <= 512 * SETTINGS_MB);
  FUZZ_CHECK(settings.batch >= 1 && settings.batch <= 10000);
  return true;
}

bool fuzz_one(const uint8_t *bytes, size_t length) {
  if (length == 0) return false;
  char *text = malloc(length);
  memcpy(text, bytes + 1, length - 1);
  text[length - 1] = '\0';
  bool good = bytes[0] % 2 ? read_words(text) : read_conninfo(text);
  free(text);
  return good;
}
