/* What is said of texts that name no database: the cause, and nothing of the text. */
#include "pg/conninfo.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define SECRET "zq9secret"

struct input {
  const char *text;
  const char *why; /* is in the message; NULL: it is valid */
};

static const struct input inputs[] = {
    {"postgresql://u:" SECRET "@h:5432/d", NULL},
    {"postgres://u:a:" SECRET "#x?y[z]@h/d?sslmode=require", NULL},
    {"postgresql:///d?host=@abstract", NULL},
    {"postgresql://u:" SECRET "%2F%40@[::1]:5432/d", NULL},
    {"host=h user=u password='a " SECRET "\\' b' dbname=d", NULL},
    {"some_database", NULL},
    {"postgresql://u:p@" SECRET "@h/d", "it has more than one @"},
    {"postgresql://u:12/" SECRET "@h/d", "it has a / before its @"},
    {"postgresql://u:ab/" SECRET "@h:5432/d", "it has a / before its @"},
    {"postgresql://u:12/" SECRET "?x@h/d", "a parameter has no ="},
    {"postgresql://u:" SECRET "%zz@h/d", "a % in it is not followed by two hexadecimal digits"},
    {"postgresql://u:" SECRET "%@h/d", "a % in it is not followed by two hexadecimal digits"},
    {"'postgresql://u:" SECRET "@h/d'", "it begins with a quotation mark"},
    {"\"postgresql://u:" SECRET "@h/d\"", "it begins with a quotation mark"},
    {"'host=h password=" SECRET "'", "it begins with a quotation mark"},
    {" postgresql://u:" SECRET "@h/d", "it begins with a space"},
    {"postgresql://u:" SECRET "@h/d\n", "it ends with a space or a line break"},
    {"postgresql://u:" SECRET "@h/d\r\n", "it ends with a space or a line break"},
    {"POSTGRESQL://u:" SECRET "@h/d", "its scheme is not postgresql:// or postgres:// in small letters"},
    {"jdbc:postgresql://h/d?password=" SECRET, "its scheme is not postgresql://"},
    {"postgresql://u:" SECRET "@h/d&sslmode=require", "its database's name contains & and ="},
    {"postgresql://u:" SECRET "@::1/d", "its port contains a :"},
    {"postgresql://u:" SECRET "@h:5432:1/d", "its port contains a :"},
    {"postgresql://u:" SECRET "@h:54x/d", "its port is not a number"},
    {"postgresql://u:" SECRET "@h:0/d", "its port is not between 1 and 65535"},
    {"postgresql://u:" SECRET "@[::1/d", "a [ is not closed"},
    {"postgresql://u:" SECRET "@h/d?schema=public", "PostgreSQL has no connection parameter schema"},
    {"postgresql://h:5432/d?connect_timeout=5&pgbouncer=true", "PostgreSQL has no connection parameter pgbouncer"},
    {"postgresql://u:p?" SECRET "=x", "it has a parameter that libpq does not know"},
    {"postgresql://u:p@ss?" SECRET "=x@h/d", "it has a parameter that libpq does not know"},
    {"hots=/tmp user=x", "--database: PostgreSQL has no connection parameter hots"},
    {"host=h usr=x password=" SECRET, "--database: PostgreSQL has no connection parameter usr"},
    {"host=h password=a " SECRET "=x", "it has a keyword that libpq does not know"},
    {"host=h pasword=a " SECRET "=x", "PostgreSQL has no connection parameter pasword"},
    {"host=h PGPASSWORD=a " SECRET "=x user=a", "PostgreSQL has no connection parameter PGPASSWORD"},
    {"postgresql://u:" SECRET "@h/d?connect_timeout=zz", "connect_timeout is not a whole number"},
    {"host=h connect_timeout=5 keepalives_idle=-1", NULL},
    {"host=h password=a " SECRET, "a part of it is not of the form keyword=value"},
    {"host=h password='it''s " SECRET "'", "a part of it is not of the form keyword=value"},
    {"host=h password='" SECRET, "a quotation mark is not closed"},
    {"host=u:" SECRET "@h port=1", "its host contains an @"},
};

static void tells_the_cause(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    struct err err = {0};
    bool good = conninfo_check("--database", inputs[i].text, &err);
    if (good != !inputs[i].why || (!good && !strstr(err.message, inputs[i].why)))
      fail_msg("%s: %s", inputs[i].text, good ? "is taken" : err.message);
    if (good) continue;
    assert_int_equal(err.exit_code, EXIT_USAGE);
    assert_null(strstr(err.message, SECRET));
    assert_null(strstr(err.hint, SECRET));
  }
}

static void hints_at_the_remedy(void **state) {
  (void)state;
  static const struct {
    const char *text, *message, *hint;
  } cases[] = {
      {"postgresql://u:p@x@h/d", "--database is not a valid connection string: it has more than one @",
       "in the user name or the password write @ as %40"},
      {"postgresql://h/d?schema=public", "--database: PostgreSQL has no connection parameter schema",
       "remove it from the URI"},
      {"postgresql:///d?hst=h", "--database: PostgreSQL has no connection parameter hst", "did you mean host?"},
      {"hots=/tmp user=x", "--database: PostgreSQL has no connection parameter hots", "did you mean host?"},
      {"host=h pgbouncer=true", "--database: PostgreSQL has no connection parameter pgbouncer",
       "remove it from the connection string"},
      {"postgresql://h:0/d", "--database is not a valid connection string: its port is not between 1 and 65535",
       "write postgresql://user:password@host:port/database, with % and two hexadecimal digits for special "
       "characters, or host=... user=... password='...' dbname=..."},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct err err = {0};
    assert_false(conninfo_check("--database", cases[i].text, &err));
    assert_string_equal(err.message, cases[i].message);
    assert_string_equal(err.hint, cases[i].hint);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(tells_the_cause), cmocka_unit_test(hints_at_the_remedy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
