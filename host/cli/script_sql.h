/* ctx:query of a script: a database is opened at the first one. */
#ifndef LUAFLOW_CLI_SCRIPT_SQL_H
#define LUAFLOW_CLI_SCRIPT_SQL_H

#include <uv.h>

#include "base/log.h"
#include "base/settings.h"
#include "worker/pool/executor_process.h"
#include "worker/pool/task.h"

struct script_sql;

/* All borrowed until script_sql_close. */
struct script_sql *script_sql_new(uv_loop_t *loop, const struct settings *settings, struct log *log);
/* Answers a QUERY frame of the process with QUERY_REPLY. The transaction of a task, if one is given, is rolled back by
 * script_sql_close. */
void script_sql_query(struct script_sql *sql, struct executor_process *process, const struct task *task,
                      struct frame *frame);
/* What names the database in errors, such as --database; NULL until a statement came. Borrowed. */
const char *script_sql_source(const struct script_sql *sql);
void script_sql_close(struct script_sql *sql);

#endif
