/* What a worker does until it runs: choose the worker, check, deploy. */
#ifndef LUAFLOW_WORKER_STARTUP_H
#define LUAFLOW_WORKER_STARTUP_H

#include "base/err.h"
#include "worker/source/load_report.h"

struct life;

/* Prints why the first generation could not load, and orders the end. */
void startup_not_loaded(struct life *life, const struct load_report *report, const struct err *err);
/* Lets the candidate serve as the worker of the queue. False if it has no such worker: then the worker ends. */
bool startup_choose(struct life *life) __attribute__((warn_unused_result));
void startup_check(struct life *life);
void startup_not_checked(struct life *life);
void startup_pooled(struct life *life);
void startup_elsewhere(struct life *life);
/* By the answer to the deployment. */
void startup_run(struct life *life);
void startup_fenced(struct life *life);
void startup_refused(struct life *life);
void startup_not_deployed(struct life *life);

#endif
