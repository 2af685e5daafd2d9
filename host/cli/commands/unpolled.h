/* Queues that flows of a load are routed to and that none of its workers polls. */
#ifndef LUAFLOW_CLI_COMMANDS_UNPOLLED_H
#define LUAFLOW_CLI_COMMANDS_UNPOLLED_H

#include "worker/source/load_report.h"

struct unpolled_queue {
  char *flow;
  char *queue;
  char *steps; /* "a, b" */
};

/* All owned; freed by unpolled_free. */
struct unpolled {
  struct unpolled_queue *list;
  size_t count;
};

/* By flow, in the order of the workers' registries. */
struct unpolled unpolled_find(const struct load_report *report);
void unpolled_free(struct unpolled *unpolled);

#endif
