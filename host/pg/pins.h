/* The settings that every session of luaflow pins, whatever `alter role`, `alter database` or the server's
 * configuration say. What is not named is the operator's to set: search_path and limits in handlers' sessions,
 * TimeZone at the command line, synchronous_commit, and default_transaction_read_only, by which a server reports that
 * it takes no writes now. client_encoding is pinned as a session is opened. */
#ifndef LUAFLOW_PG_PINS_H
#define LUAFLOW_PG_PINS_H

/* PIN(name, value): how statements are read and values written. For handlers' sessions too. */
#define PINS_OF_VALUES(PIN)                                                                                  \
  PIN("standard_conforming_strings", "on") /* a backslash means itself */                                    \
  PIN("array_nulls", "on")                 /* NULL in an array is no text */                                 \
  PIN("bytea_output", "hex")               /* one form of each value ... */                                  \
  PIN("extra_float_digits", "1")           /* ... with all its digits */                                     \
  PIN("DateStyle", "ISO")                                                                                    \
  PIN("IntervalStyle", "postgres")                                                                           \
  PIN("quote_all_identifiers", "off")          /* names that functions put together are compared */          \
  PIN("default_transaction_deferrable", "off") /* a transaction does not wait before it begins */            \
  PIN("idle_session_timeout", "0")             /* a session that waits for work is not to be ended for it */ \
  PIN("exit_on_error", "off")                  /* an error ends a statement, not the session */

/* What our own statements mean, and how long they may take. Their limits are the host's: a batch that the server ends
 * is only tried again. */
#define PINS_OF_STATEMENTS(PIN)                                                                                     \
  PINS_OF_VALUES(PIN)                                                                                               \
  PIN("search_path", "pg_catalog, pg_temp")              /* objects that others created in public are not meant */  \
  PIN("row_security", "off")                             /* a policy that would hide rows makes the query fail */   \
  PIN("default_transaction_isolation", "read committed") /* functions wait for locks, and then see what was done */ \
  PIN("statement_timeout", "0")                                                                                     \
  PIN("idle_in_transaction_session_timeout", "0")                                                                   \
  PIN("transaction_timeout", "0")                                                                                   \
  PIN("jit", "off") /* compiling a plan that is used once takes seconds of a processor */                           \
  PIN("plpgsql.extra_errors", "none")                                                                               \
  PIN("restrict_nonsystem_relation_kind", "") /* queues and runs are read through views too */

#define PIN_ROW(name, value) ", ('" name "', '" value "')"

/* One statement that sets those of the list that the server knows; local: "true" until the end of the transaction.
 * Others' debug output is not wanted over the connection. */
#define PIN_ROWS(rows, local)                                                                                     \
  "select pg_catalog.set_config(p.name, p.value, " local ") from (values ('client_min_messages', 'warning')" rows \
  ") p (name, value) where pg_catalog.current_setting(p.name, true) is not null"
#define PIN_VALUES(local) PIN_ROWS(PINS_OF_VALUES(PIN_ROW), local)
#define PIN_STATEMENTS(lock_timeout, local) \
  PIN_ROWS(PINS_OF_STATEMENTS(PIN_ROW) PIN_ROW("lock_timeout", lock_timeout), local)

/* A role can name a library for its own sessions that does not exist: then none of them can begin. Only what is sent
 * with the start of a session overrides that. Poolers refuse such options, so they are sent only once a session was
 * refused for a library. */
#define PIN_LIBRARIES "-c local_preload_libraries="

/* Runs before it in a separate session: the settings of a role could end the other statements. */
#define PIN_NO_TIMEOUT "set statement_timeout = 0"
/* Ahead of it in a transaction: its isolation is that of its first query. */
#define PIN_READ_COMMITTED "set transaction_isolation = 'read committed'"
#define PIN_REPEATABLE_READ "set transaction_isolation = 'repeatable read'"

#endif
