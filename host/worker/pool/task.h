/* One claimed task, from the claim's confirmation until its result was recorded. Plain data; freed by its last owner.
 * */
#ifndef LUAFLOW_WORKER_POOL_TASK_H
#define LUAFLOW_WORKER_POOL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "base/buf.h"
#include "worker/pool/log_budget.h"

enum { RUN_ID_LENGTH = 36, TASK_MESSAGE_MAX = 8192 /* bytes of a stored error message */, TASK_DELAY_MAX_S = 86400 };

/* Two ends of executors that nobody was blamed for, or four that another task was, or one while it ran. */
enum { TASK_SUSPECT_FROM = 4 };

struct slot;

/* What is to be recorded about a task that has left its executor. */
enum verdict {
  VERDICT_COMPLETED,
  VERDICT_FAILED,    /* retried after delay_s, or by backoff where that is negative */
  VERDICT_PERMANENT, /* no more attempts */
  VERDICT_SNOOZED,   /* put back for delay_s, costs no attempt */
  VERDICT_RELEASED,  /* put back for delay_s; costs no attempt, stores no message; its reason is counted, see below */
};

struct task {
  uint64_t number; /* the host's own, never used twice */
  char run_id[RUN_ID_LENGTH + 1];
  char *flow_slug;
  char *step_slug;
  int32_t task_index;
  int64_t claim_no;
  char *secret; /* opens the claim's transaction; executors never see it */
  int attempt;
  int max_attempts;
  int timeout_s;
  uint64_t deadline_ms;  /* on the loop's clock */
  bool transaction;      /* its completion is the end of its own transaction: see handler_tx.h */
  int suspicion;         /* of having ended executors; the database keeps it */
  int lost_transactions; /* how often it was released since the connection of its transaction was lost */
  char *input;      /* JSON; NULL once it was sent to an executor, unless it has a transaction: it may be sent again */
  bool is_root;     /* the input is the run's as well */
  char *element;    /* of a map, cut, for log lines; NULL of other tasks */
  char *flow_input; /* the run's input, if it is known and another; else NULL */

  /* Set by task_settle. */
  enum verdict verdict;
  char *text; /* JSON output of a completed task, else the message; NULL of a released one */
  size_t text_length;
  char *violation; /* of a completed one whose output the database fails for its type: what it says; else NULL */
  int restarts;    /* of its handler in this attempt, after conflicts in its transaction */
  char *shown;     /* what is logged in the place of text; NULL: the text itself */
  double delay_s;
  bool needs_current;    /* text is true only where the claim is still current as it is recorded */
  int added_suspicion;   /* of a released one: its executor ended */
  bool lost_transaction; /* of a released one: the connection of its transaction was lost */
  bool commit_unknown;   /* its transaction may have completed it: the database knows */
  int blamed;            /* how often the database refused this very result; see batcher.h */

  struct log_budget log_budget;
  bool input_wanted; /* its run's input is being fetched */

  bool overdue;          /* its deadline has passed; its executor was asked to abandon it */
  bool cancelled;        /* its run was: the handler knows, may end, and nothing is recorded */
  int cancelled_ticks;   /* how often the pool has looked since then */
  bool dropped;          /* it belongs to another claim: nothing is recorded; its executor was asked to abandon it */
  int unanswered_ticks;  /* how often the pool has looked since it was overdue */
  bool changed_executor; /* it has changed the process of its executor */
  bool disturbed;        /* another task may have */

  struct slot *slot;        /* the executor that has it; NULL while it waits for one */
  struct task *prev, *next; /* of the list that holds it */
  UT_hash_handle hh;        /* by number, while in the pool */
};

/* Executors that ran it have ended so often that the next one runs it alone. */
bool task_is_suspect(const struct task *task);
/* The input is an element of a map: keeps its beginning for log lines. */
void task_keep_element(struct task *task);
/* Frees the task and all it owns. */
void task_free(struct task *task);
/* Appends the TASK frame's payload. deadline in seconds since the epoch. */
void task_put_frame(const struct task *task, const char *queue, const char *worker_id, double deadline,
                    struct buf *out);
/* Adds to the message of a settled task what is stored behind it and not logged. */
void task_add_detail(struct task *task, const char *detail, size_t length);
/* Forgets the result: the handler is to run again. */
void task_unsettle(struct task *task);
/* Sets the result. text is copied: an output as it is, a message made valid and cut to TASK_MESSAGE_MAX. */
void task_settle(struct task *task, enum verdict verdict, const char *text, size_t length, double delay_s);
/* The same with a formatted message. */
void task_settle_message(struct task *task, enum verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
