/* Handing a registry to the database: one call of deploy_flows. */
#ifndef LUAFLOW_WORKER_CONTROL_DEPLOY_H
#define LUAFLOW_WORKER_CONTROL_DEPLOY_H

#include "base/log.h"
#include "pg/pg.h"
#include "worker/control/deploy_ask.h"
#include "worker/source/load_report.h"
#include "worker/source/source.h"

enum deploy_outcome {
  DEPLOY_DONE,
  DEPLOY_FENCED,  /* the worker function is disabled, or this worker deprecated; nothing was changed; *err says so */
  DEPLOY_REFUSED, /* nothing was changed; *err says what to exit with, details or the log what is wrong */
  DEPLOY_FAILED,  /* the database could not say; *err */
};

struct deploy_answer {
  enum deploy_outcome outcome;
  struct err err;
  /* Lines for people about what was refused, the last one without its end; borrowed; "" if there are none. */
  const char *details;
  /* What is different now in what was deployed, "; " between two flows; borrowed; "" if nothing is. */
  const char *changes;
  const char *held_back; /* what was, and why, in the same way */
  int64_t generation;    /* as given */
};

struct deploy_events {
  bool (*wanted)(void *owner); /* asked once more, right before anything is changed; if not, nothing follows */
  void (*done)(void *owner, const struct deploy_answer *answer);
  bool again; /* the worker has deployed before: only what is different now is news */
  enum deploy_extent extent;
  /* Of DEPLOY_FILES: see changes_put_paths, and what was loaded; both borrowed until the call returns. */
  const char *changed_files;
  const struct source *source;
  /* Told of what is about to be deleted: such as "recreating_flow\nflow\nreason\ndifferences"; true: dev logs it. */
  bool (*tell)(void *owner, const char *text);
};

/* Sends it over a ready connection with control_statements; worker is one of the report's. What is to be deleted is
 * logged before, what becomes of each flow and its alias is logged. */
void deploy(struct pg *pg, const char *worker_id, const struct load_worker *worker, const struct load_report *report,
            int64_t generation, struct log *log, const struct deploy_events *events, void *owner);

#endif
