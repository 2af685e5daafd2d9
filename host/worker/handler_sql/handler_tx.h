/* The transaction of one attempt of a task: one connection from its first statement, or from the handler's end, until
 * it has committed together with the task's completion, or is certain not to commit. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_TX_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_TX_H

#include "base/log.h"
#include "worker/handler_sql/handler_pool.h"
#include "worker/handler_sql/handler_statement.h"
#include "worker/pool/task.h"

struct handler_tx;

/* How it has ended, with the task that handler_tx_settle gave it; NULL after handler_tx_drop. */
enum handler_tx_end {
  HANDLER_TX_COMMITTED, /* the task is completed */
  HANDLER_TX_SETTLED,   /* rolled back: the task's verdict is to be recorded */
  HANDLER_TX_RESTART,   /* rolled back after a conflict: the handler is to run again, as the same attempt */
  HANDLER_TX_STALE,     /* rolled back: the database gave the task to somebody else, or ended its run */
};

struct handler_tx_events {
  /* Answers a statement of the handler; payload: of QUERY_REPLY. */
  void (*reply)(void *owner, struct handler_tx *tx, const struct buf *payload);
  /* It is freed after this. */
  void (*ended)(void *owner, struct handler_tx *tx, enum handler_tx_end end, struct task *task);
};

/* task: the task whose claim is sent to the database; not kept. */
struct handler_tx *handler_tx_new(struct handler_pool *pool, const struct task *task, int64_t limit,
                                  const struct handler_tx_events *events, void *owner, struct log *log);
/* A statement of the handler's is not answered yet. */
bool handler_tx_is_asked(const struct handler_tx *tx);
/* The handler's next statement, once the one before was answered; takes it over. */
void handler_tx_query(struct handler_tx *tx, struct handler_statement *statement);
/* The handler has ended, with this result. Takes the task over: a completed one is completed here, any other is given
 * back once all is rolled back. May end at once. */
void handler_tx_settle(struct handler_tx *tx, struct task *task);
/* The task is of no interest any more: rolls back. */
void handler_tx_drop(struct handler_tx *tx);
/* The task it has been given; NULL before handler_tx_settle. */
const struct task *handler_tx_task(const struct handler_tx *tx);
/* Is it late? Called from time to time. */
void handler_tx_look(struct handler_tx *tx, uint64_t now);
/* Frees it with its task, when the pool is closed. */
void handler_tx_free(struct handler_tx *tx);

#endif
