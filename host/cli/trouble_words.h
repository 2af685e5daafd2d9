/* What a row t of pgflow.worker_troubles says, as SQL: for doctor and `luaflow workers`. */
#ifndef LUAFLOW_CLI_TROUBLE_WORDS_H
#define LUAFLOW_CLI_TROUBLE_WORDS_H

#define TROUBLE_WORDS                                                                                                 \
  "case t.trouble"                                                                                                    \
  " when 'unrecorded' then format('%s result%s not recorded: ', t.count, case when t.count = 1 then '' else 's' end)" \
  " when 'claim' then 'claims fail: '"                                                                                \
  " when 'reconcile' then 'what a lost connection has claimed is not put back: '"                                     \
  " when 'heartbeat' then 'heartbeats fail: '"                                                                        \
  " when 'recovery' then 'recovery fails: '"                                                                          \
  " when 'executors' then format('executors keep ending, %s so far; the last: ', t.count)"                            \
  " when 'connections' then format('handlers that wait for a connection to the database: %s; ', t.count)"             \
  " else '' end || t.error"

#endif
