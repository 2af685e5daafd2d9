/* One ctx:query: borrows a connection, runs its statement outside any transaction, replies. */
#ifndef LUAFLOW_WORKER_HANDLER_SQL_HANDLER_QUERY_H
#define LUAFLOW_WORKER_HANDLER_SQL_HANDLER_QUERY_H

#include "worker/handler_sql/handler_pool.h"
#include "worker/handler_sql/handler_statement.h"
#include "worker/pool/task.h"

struct handler_query;

/* payload: of QUERY_REPLY. The query is freed after this. */
typedef void (*handler_query_done)(void *owner, struct handler_query *query, const struct buf *payload);

/* Takes the statement over. limit: most bytes of a result. */
struct handler_query *handler_query_start(struct handler_pool *pool, struct handler_statement *statement, int64_t limit,
                                          handler_query_done done, void *owner);
/* The task's time was over before the query was answered: if it still waits for a connection, the task's failure says
 * so. */
void handler_query_explain(const struct handler_query *query, struct task *task);
/* Ends it without a reply; its statement is cancelled on the server. */
void handler_query_end(struct handler_query *query);
/* Frees it when the pool is closed. */
void handler_query_free(struct handler_query *query);

#endif
