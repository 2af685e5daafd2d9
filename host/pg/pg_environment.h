/* The PG* variables of the environment, which libpq obeys wherever a connection string leaves something out. */
#ifndef LUAFLOW_PG_PG_ENVIRONMENT_H
#define LUAFLOW_PG_PG_ENVIRONMENT_H

/* Removes them all, for connections that must lead to one server only. Programs started later do not get them either.
 * */
void pg_environment_clear(void);

#endif
