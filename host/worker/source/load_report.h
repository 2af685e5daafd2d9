/* What an executor reports about the modules it loaded: the workers they define, or the problems. */
#ifndef LUAFLOW_WORKER_SOURCE_LOAD_REPORT_H
#define LUAFLOW_WORKER_SOURCE_LOAD_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct load_worker {
  char *queue;
  char *name;     /* the worker function */
  char *registry; /* JSON text, as deploy_flows takes it */
};

struct load_types {
  char *name; /* of the file */
  char *text;
};

struct load_step {
  char *flow;
  char *step;
  bool transaction;
  bool map;
};

struct load_problem {
  char *code;
  char *message;
  char *file;   /* NULL, like the rest, where it is not known */
  int64_t line; /* 0 where it is not known */
  char *flow;
  char *step;
  char *hint;
};

/* All owned. Either problems or workers; types only where they were asked for. */
struct load_report {
  char *digest; /* equal for equal modules */
  struct load_worker *workers;
  size_t worker_count;
  struct load_types *types; /* definitions for editors, a file for each flow */
  size_t types_count;
  struct load_step *steps; /* those with a transaction, and the maps */
  size_t step_count;
  char **data_files; /* paths of files that were read meanwhile, as the modules wrote them */
  size_t data_count;
  char *silent; /* a file that returned nothing, though none requires it; NULL */
  struct load_problem *problems;
  size_t problem_count;
};

/* Each reads the payload of the frame of that name into an empty report; false if it is not well formed. */
bool load_report_read_loaded(struct load_report *report, struct cursor *payload) __attribute__((warn_unused_result));
bool load_report_read_problems(struct load_report *report, struct cursor *payload) __attribute__((warn_unused_result));
/* The worker with that queue; NULL if there is none. */
const struct load_worker *load_report_worker(const struct load_report *report, const char *queue);
/* "a, b, c", owned by the caller; "none" where there is none. */
char *load_report_queues(const struct load_report *report);
/* "no flow uses the queue Q<any_more>; they use: a, b, c", and which file may be why; owned by the caller. */
char *load_report_lacks(const struct load_report *report, const char *queue, const char *any_more);
/* NULL for a step that has no transaction and is not a map. */
const struct load_step *load_report_step(const struct load_report *report, const char *flow, const char *step);
/* True if any step has a transaction. */
bool load_report_needs_transactions(const struct load_report *report);
/* Takes the content over and leaves source empty. */
void load_report_move(struct load_report *target, struct load_report *source);
void load_report_free(struct load_report *report);
/* Appends one line for each problem: file:line: [code] message (hint). */
void load_report_put_problems(const struct load_report *report, struct buf *out);

#endif
