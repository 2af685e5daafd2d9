/* The worker's handler connections without a worker. */
#include "cli/script_sql.h"

#include <stdlib.h>

#include "base/sqlstate.h"
#include "base/xalloc.h"
#include "cli/client.h"
#include "worker/handler_sql/handler_reply.h"
#include "worker/handler_sql/handlers.h"

struct script_sql {
  uv_loop_t *loop;
  const struct settings *settings;
  struct log *log;
  struct executor_process *process; /* whose query came last: there is only one */
  char *conninfo;                   /* owned; NULL before the first query */
  char source[64];
  struct handlers *handlers; /* NULL before it */
};

static void on_reply(void *owner, uint64_t number, const struct buf *payload) {
  struct script_sql *sql = owner;
  executor_process_send(sql->process, FRAME_QUERY_REPLY, number, payload);
}

static bool open_database(struct script_sql *sql, struct err *err) {
  static const struct handlers_events events = {.reply = on_reply};
  if (sql->handlers) return true;
  free(sql->conninfo);
  sql->conninfo = client_find_database(sql->settings, err);
  if (!sql->conninfo) return false;
  client_database_source(sql->settings, sql->source, sizeof sql->source);
  const struct handlers_options options = {.conninfo = sql->conninfo,
                                           .source = sql->source,
                                           .application_name = "luaflow lua",
                                           .connections = (int)sql->settings->handler_connections,
                                           .max_output = sql->settings->max_output};
  sql->handlers = handlers_new(sql->loop, &options, NULL, NULL, &events, sql, sql->log, err);
  return sql->handlers != NULL;
}

struct script_sql *script_sql_new(uv_loop_t *loop, const struct settings *settings, struct log *log) {
  struct script_sql *sql = xcalloc(1, sizeof *sql);
  *sql = (struct script_sql){.loop = loop, .settings = settings, .log = log};
  return sql;
}

void script_sql_query(struct script_sql *sql, struct executor_process *process, const struct task *task,
                      struct frame *frame) {
  struct err err;
  struct buf payload = {0};
  sql->process = process;
  if (!open_database(sql, &err)) {
    handler_reply_put_error(SQLSTATE_NO_CONNECTION, err.message, err.hint, &payload);
    on_reply(sql, frame->task, &payload);
    buf_free(&payload);
  } else if (!handlers_query(sql->handlers, frame->task, task, &frame->payload)) {
    executor_process_kill_for(process, "sent a broken query");
  }
}

const char *script_sql_source(const struct script_sql *sql) { return sql->handlers ? sql->source : NULL; }

void script_sql_close(struct script_sql *sql) {
  handlers_close(sql->handlers);
  free(sql->conninfo);
  free(sql);
}
