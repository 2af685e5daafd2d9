/* Opens a worker's database connections and writes down what comes over them. */
#ifndef LUAFLOW_WORKER_CONNECTIONS_H
#define LUAFLOW_WORKER_CONNECTIONS_H

#include <stdbool.h>

#include "base/err.h"

struct life;

/* Opens them for the queue. False with *err if the conninfo cannot be read. */
bool connections_open(struct life *life, struct err *err) __attribute__((warn_unused_result));

#endif
