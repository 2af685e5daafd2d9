/* What the server's error codes mean to luaflow. "" , of an error that did not come from the server, is none of these. */
#ifndef LUAFLOW_BASE_SQLSTATE_H
#define LUAFLOW_BASE_SQLSTATE_H

#include <stdbool.h>

/* The statement names a schema, table, function or column that is not there. It need not be one of luaflow's. */
bool sqlstate_lacks_object(const char *sqlstate);
/* A right is missing: to whoever has connected, or to the owner of a function that was called. The connection itself is well. */
bool sqlstate_lacks_right(const char *sqlstate);
/* The server takes no writes: perhaps it is a primary of the past. */
bool sqlstate_is_read_only(const char *sqlstate);
/* A prepared statement is gone, or somebody else's is there. */
bool sqlstate_is_of_pooler(const char *sqlstate);
/* Rows that were locked or changed by another transaction: the same again may succeed at once. */
bool sqlstate_is_conflict(const char *sqlstate);
/* The connection is over, or was refused. */
bool sqlstate_ends_connection(const char *sqlstate);
/* A condition of the whole server: whatever is asked meets it, each statement with another message. */
bool sqlstate_is_condition(const char *sqlstate);
/* Of the server, the connection or somebody's rights, not of the data. */
bool sqlstate_is_of_server(const char *sqlstate);
/* Bad data, a violated constraint, a limit of the program. */
bool sqlstate_is_of_data(const char *sqlstate);
/* It may be over later without anybody's doing something about luaflow or its schema. */
bool sqlstate_may_pass(const char *sqlstate);

#endif
