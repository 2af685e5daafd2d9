/* What the server's error codes mean to luaflow. "" , of an error that did not come from the server, is none of
 * these. */
#ifndef LUAFLOW_BASE_SQLSTATE_H
#define LUAFLOW_BASE_SQLSTATE_H

#include <stdbool.h>

/* Those that luaflow itself gives to errors that Lua code sees. */
#define SQLSTATE_NO_CONNECTION "08001"
#define SQLSTATE_CONNECTION_LOST "08006"
#define SQLSTATE_NOT_SUPPORTED "0A000"
#define SQLSTATE_IN_TRANSACTION "25001"
#define SQLSTATE_ABORTED "25P02"
#define SQLSTATE_ENDED_INSIDE "2D000"
#define SQLSTATE_TOO_LARGE "54000"

#define SQLSTATE_LOCKED_OUT "55P03"

/* The statement names a schema, table, function or column that is not there. It need not be one of luaflow's. */
bool sqlstate_lacks_object(const char *sqlstate);
/* The statement needs a schema that is not there. */
bool sqlstate_lacks_schema(const char *sqlstate);
/* Of start_flow: there is no flow or alias of that name. */
bool sqlstate_lacks_flow(const char *sqlstate);
/* Another transaction has created the same in the meantime. */
bool sqlstate_is_duplicate(const char *sqlstate);
/* The object is not in a state for that: luaflow's functions raise it too. */
bool sqlstate_is_of_state(const char *sqlstate);
/* A lock was not given in time. */
bool sqlstate_is_locked_out(const char *sqlstate);
/* An earlier error has aborted the transaction. */
bool sqlstate_is_aborted(const char *sqlstate);
/* Of the settings of our sessions: luaflow did not make the schema pgflow. */
bool sqlstate_is_foreign_schema(const char *sqlstate);
/* Of the same: row security hides rows of its tables. */
bool sqlstate_is_hidden_schema(const char *sqlstate);
/* Of open_transaction and complete_transaction: the claim is no longer the current one. */
bool sqlstate_is_stale_claim(const char *sqlstate);
/* Of complete_transaction: the output violates its type, which ends the run. */
bool sqlstate_ends_run(const char *sqlstate);
/* A right is missing: to the role that has connected, or to the owner of a function that was called. The connection
 * itself works. */
bool sqlstate_lacks_right(const char *sqlstate);
/* The server takes no writes: it may be a previous primary. */
bool sqlstate_is_read_only(const char *sqlstate);
/* A prepared statement is missing, or there is another session's. */
bool sqlstate_is_of_pooler(const char *sqlstate);
/* Rows that were locked or changed by another transaction: the same again may succeed at once. */
bool sqlstate_is_conflict(const char *sqlstate);
/* The connection is over, or was refused. */
bool sqlstate_ends_connection(const char *sqlstate);
/* The connection failed; not that a message of its protocol was wrong, as where the number of parameters is. */
bool sqlstate_is_of_connection(const char *sqlstate);
/* A further attempt to connect would end the same: wrong password, no such database, no right. */
bool sqlstate_refuses_for_good(const char *sqlstate);
/* Of a session that could not begin: a library that its settings name does not exist, or is not allowed. */
bool sqlstate_may_be_of_library(const char *sqlstate);
/* A condition of the whole server: whatever is asked meets it, each statement with another message. */
bool sqlstate_is_condition(const char *sqlstate);
/* The server lacks disk, memory, connections or another resource; it may have it again later. */
bool sqlstate_is_shortage(const char *sqlstate);
/* Of the server, the connection or somebody's rights, not of the data. */
bool sqlstate_is_of_server(const char *sqlstate);
/* Bad data, a violated constraint, a limit of the program. */
bool sqlstate_is_of_data(const char *sqlstate);
/* It may be over later without a change of luaflow or its schema. */
bool sqlstate_may_pass(const char *sqlstate);

#endif
