/* Removing the variables by their prefix: libpq gains new ones with every release. */
#include "pg/pg_environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pg_environment_clear(void) {
  for (char **entry = environ; *entry;) {
    size_t length = strcspn(*entry, "=");
    char name[256];
    if (strncmp(*entry, "PG", 2) != 0 || length >= sizeof name) {
      entry++;
      continue;
    }
    memcpy(name, *entry, length);
    name[length] = '\0';
    unsetenv(name); /* moves the rest of the list here */
  }
}
