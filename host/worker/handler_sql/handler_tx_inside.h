/* What handler_tx.c (while the handler runs) and handler_tx_end.c (once it has ended) share. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_TX_INSIDE_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_TX_INSIDE_H

#include "base/states.h"
#include "worker/handler_sql/handler_reply.h"
#include "worker/handler_sql/handler_tx.h"

/* X(state, name, states it may move to). LOST: the connection broke while the handler ran. UNKNOWN: it broke after
 * COMMIT was sent. */
#define TX_STATES(X)                                                                     \
  X(TX_IDLE, "idle", TO(TX_WAITING) | TO(TX_ENDING))                                     \
  X(TX_WAITING, "waiting", TO(TX_OPENING) | TO(TX_LOST) | TO(TX_ENDING))                 \
  X(TX_OPENING, "opening", TO(TX_OPEN) | TO(TX_BROKEN) | TO(TX_WAITING) | TO(TX_ENDING)) \
  X(TX_OPEN, "open", TO(TX_RUNNING) | TO(TX_COMMITTING) | TO(TX_LOST) | TO(TX_ENDING))   \
  X(TX_RUNNING, "running", TO(TX_OPEN) | TO(TX_BROKEN) | TO(TX_LOST) | TO(TX_ENDING))    \
  X(TX_BROKEN, "broken", TO(TX_LOST) | TO(TX_ENDING))                                    \
  X(TX_LOST, "lost", TO(TX_ENDING))                                                      \
  X(TX_COMMITTING, "committing", TO(TX_UNKNOWN) | TO(TX_ENDING))                         \
  X(TX_UNKNOWN, "unknown", 0)                                                            \
  X(TX_ENDING, "ending", 0)

enum tx_state { TX_STATES(STATE_ENUM) };

struct handler_tx {
  struct handler_pool *pool;
  struct handler_borrower borrower;
  struct handler_tx_events events;
  void *owner;
  struct log *log;
  enum tx_state state;
  char *identity[4];    /* owned; run, step, index, claim */
  char *secret;         /* owned; of the claim. NULL: a rehearsal, which is of none and never committed */
  uint64_t deadline_ms; /* of the attempt, on the loop's clock */
  char *token;          /* owned; NULL before it is open */
  int64_t limit;
  struct handler_statement statement; /* waits until it is open */
  struct handler_reply reply;
  struct err failure; /* the first error; kind ERR_NONE: none */
  bool conflict;      /* a deadlock or a serialization failure was among the errors */
  bool shortage;      /* the server lacked disk, memory or the like */
  bool is_lost;       /* its connection broke between two statements: none of them has done it */
  bool has_run;       /* a statement of the handler: its settings are taken back before the completion */
  bool late;          /* the commit was cancelled since the attempt's time is over */
  enum handler_tx_end end;
  struct task *task; /* owned; NULL while the handler runs */
};

/* handler_tx_end.c */
void handler_tx_set_state(struct handler_tx *tx, enum tx_state state);
/* Nothing can be done in it any more, for this reason. */
void handler_tx_note_failure(struct handler_tx *tx, const struct err *err);
/* Gives the connection back, whatever is open on it, and then ends. */
void handler_tx_end_with(struct handler_tx *tx, enum handler_tx_end end);
/* The handler has completed, its transaction cannot: the attempt fails with the first error. */
void handler_tx_fail_broken(struct handler_tx *tx);
/* The attempt's time is over. */
void handler_tx_fail_late(struct handler_tx *tx);
/* The executor says that the handler has ended, which still waits for an answer. */
void handler_tx_fail_early(struct handler_tx *tx);
/* Completes the task and commits. */
void handler_tx_commit(struct handler_tx *tx);
/* The server has confirmed that it did not commit. */
void handler_tx_commit_failed(struct handler_tx *tx, const struct pg_unit *unit, const struct err *err);
/* The connection broke after COMMIT was sent. */
void handler_tx_commit_unanswered(struct handler_tx *tx, const struct err *err);
/* How it ends when its task has failed for what happened to it: the handler may run again, at no cost. */
enum handler_tx_end handler_tx_failed_end(struct handler_tx *tx);
/* Events of the borrower: all is rolled back, or lost. */
void handler_tx_cleared(void *owner);

#endif
