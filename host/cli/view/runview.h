/* One run as a tree of its steps: read from the database, and drawn as lines. */
#ifndef LUAFLOW_CLI_VIEW_RUNVIEW_H
#define LUAFLOW_CLI_VIEW_RUNVIEW_H

#include "base/buf.h"
#include "cli/db.h"
#include "cli/view/style.h"

enum run_status { RUN_STARTED, RUN_COMPLETED, RUN_FAILED, RUN_CANCELLED };
enum step_status { STEP_CREATED, STEP_STARTED, STEP_COMPLETED, STEP_FAILED, STEP_SKIPPED };

/* Where the task of a single step is while the step goes on. */
enum task_phase {
  PHASE_QUEUED, /* no worker has taken it */
  PHASE_RUNNING,
  PHASE_RETRYING, /* an attempt has failed, and it waits for the next */
  PHASE_SNOOZED,  /* its handler asked to be called later */
};

struct runview_step {
  char *slug;
  bool is_map;
  enum step_status status;
  long long tasks;    /* of a map; -1: not known yet */
  long long left;     /* of them not finished */
  long long failed;   /* of the finished, those that failed for good and gave null */
  long long ms;       /* since it started; -1: it has not */
  long long attempts; /* most of any task; 0: none or not known */
  long long most_attempts;
  enum task_phase phase;
  char *failing; /* a task of a map that fails, with its element; NULL: none is known */
  long long failing_attempts;
  long long
      next_ms; /* until the next attempt of that task, or of a single step's; -1: it does not wait, or nobody knows */
  char *error; /* why it failed, or why its task was put back; NULL */
  char *skip_reason;
  char *dependencies; /* slugs with a space between; NULL */
  char *unserved;     /* its queue, where the step goes on though no live worker serves that; NULL */
  bool kept;          /* it completed in the run that this one is a retry of */
  int parent;         /* the step that it is drawn under; -1: the run */
};

/* All owned; freed by runview_free. */
struct runview {
  char *run_id;
  char *flow_slug;
  char *flow_alias;
  enum run_status status;
  long long ms;       /* how long it ran or runs */
  long long age;      /* ms since it started */
  char *restart_of;   /* the run that it is a retry of; NULL */
  char *restarted_as; /* the run that is a retry of it; NULL */
  char *error_step;
  char *error;
  struct runview_step *steps; /* in definition order */
  int step_count;
};

/* Reads the run again into an empty view. An unknown run is an error (exit 1). With tasks those of map steps are
 * looked at for attempts and errors. */
bool runview_read(struct runview *view, struct db *db, const char *run_id, bool tasks, struct err *err)
    __attribute__((warn_unused_result));
/* The run's, as its step tells it: that of a map knows the task, if tasks were read. */
const char *runview_error(const struct runview *view);
void runview_free(struct runview *view);

/* Appends the run's line, one for each run that it is linked to, and a line for each step, no wider than the style,
 * at most most_lines (the steps that matter least are then summed up); returns how many lines. */
int runview_draw(const struct runview *view, const struct style *style, int most_lines, struct buf *out);
/* Appends one step as a plain line for a log: "price: 3 of 10 tasks". */
void runview_put_step(const struct runview_step *step, struct buf *out);
const char *run_status_name(enum run_status status);
enum tone run_status_tone(enum run_status status);
const char *step_status_name(enum step_status status);
const char *task_phase_name(enum task_phase phase);
/* An unknown word counts as started. */
enum run_status run_status_parse(const char *text);

#endif
