/* What doctor found: gathered, and printed for people or programs. */
#ifndef LUAFLOW_CLI_VIEW_FINDING_H
#define LUAFLOW_CLI_VIEW_FINDING_H

#include "base/err.h"

enum finding_level { FINDING_OK, FINDING_WARNING, FINDING_PROBLEM };

struct finding {
  const char *check; /* borrowed */
  enum finding_level level;
  char *message; /* owned, as is the hint */
  char *hint;    /* NULL: nothing to do */
  enum exit_code exit_code;
};

struct findings {
  struct finding *list;
  int count;
};

/* Copies the texts. hint may be NULL or empty. exit_code: of the command, should this be a problem. */
void findings_add(struct findings *findings, const char *check, enum finding_level level, const char *message,
                  const char *hint, enum exit_code exit_code);
/* "ok", "warning", "problem". */
enum finding_level finding_level_parse(const char *text);
void findings_print(const struct findings *findings);
void findings_print_json(const struct findings *findings);
/* 0 without a problem, else the largest exit code of one. */
enum exit_code findings_exit_code(const struct findings *findings);
void findings_free(struct findings *findings);

#endif
