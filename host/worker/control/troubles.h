/* Reports to the database, for doctor and `luaflow workers`, what goes wrong in this worker while it lasts; over the
 * control connection. Each trouble is reported when it begins, changes and ends. */
#ifndef LUAFLOW_WORKER_TROUBLES_H
#define LUAFLOW_WORKER_TROUBLES_H

struct pg;
struct troubles;

/* X(trouble, its name in the database) */
#define TROUBLES(X)                                                                                 \
  X(UNRECORDED, "unrecorded")   /* count: results that the database does not take */                \
  X(CLAIM, "claim")             /* claims fail */                                                   \
  X(RECONCILE, "reconcile")     /* what a lost connection has claimed is not put back */            \
  X(HEARTBEAT, "heartbeat")     /* heartbeats fail */                                               \
  X(RECOVERY, "recovery")       /* recovery fails */                                                \
  X(EXECUTORS, "executors")     /* count: executors that have ended, without a pause of a minute */ \
  X(DESCRIPTORS, "descriptors") /* the limit of open files is too low */                            \
  X(CONNECTIONS, "connections") /* count: handlers that wait for a connection to the database */    \
  X(HELD_BACK, "held_back")     /* versions that changed files have, and nobody has ordered yet */  \
  X(DEPLOYMENT, "deployment")   /* others hold what the deployment of a reload needs */             \
  X(MEMORY, "memory")           /* executors of old generations use more than the current ones may */

enum trouble {
#define X(name, text) TROUBLE_##name,
  TROUBLES(X)
#undef X
      TROUBLE_COUNT
};

struct troubles *troubles_new(void);
/* The database knows the worker: what has been set is reported. Both are borrowed until troubles_stop; pg has
 * control_statements. */
void troubles_start(struct troubles *troubles, struct pg *pg, const char *worker_id);
/* That is how it is with this trouble. error: the last one; NULL: there is none any more. count: 0 for a trouble that
 * has none. NULL as troubles is allowed: nothing is reported. */
void troubles_set(struct troubles *troubles, enum trouble trouble, int count, const char *error);
/* Reports what could not be reported before. */
void troubles_go_on(struct troubles *troubles);
/* Reports no more; before pg is closed. */
void troubles_stop(struct troubles *troubles);
/* Once the loop has ended. */
void troubles_free(struct troubles *troubles);

#endif
