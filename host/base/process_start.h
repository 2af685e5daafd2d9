/* What every process of luaflow does before anything else. */
#ifndef LUAFLOW_BASE_PROCESS_START_H
#define LUAFLOW_BASE_PROCESS_START_H

#include <stdbool.h>

#include "base/err.h"

enum process_kind {
  PROCESS_HOST,     /* a command: its environment and its memory hold the database's password */
  PROCESS_EXECUTOR, /* runs handlers, and holds nothing that they must not read */
};

void process_start(enum process_kind kind);

/* How many descriptors this process can have open. */
int process_files(void);
/* Where the errno is a lack of descriptors, the error that was set becomes temporary and gets a hint. False: it is
 * not one. */
bool process_lacks_files(int number, struct err *err);

/* Descriptors of an executor. */
enum {
  PROCESS_OWN_FILES = 24,    /* that it and its handlers may have open, apart from requests */
  PROCESS_REQUEST_FILES = 3, /* of an HTTP request: its connection, and what looks up the name */
};

#endif
