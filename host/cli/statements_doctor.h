/* The statements of doctor. A check returns its findings: level (ok, warning, problem), what was found, what to do. */
#ifndef LUAFLOW_CLI_STATEMENTS_DOCTOR_H
#define LUAFLOW_CLI_STATEMENTS_DOCTOR_H

/* The sessions that hold locks of luaflow's tables and queues other than to read them, from the catalog alone, which
 * waits for none of these: strength 3 if nobody may read, 2 if nobody may write, 1 of rows; since when (null: this
 * role must not see it, or prepared), since when others wait. The empty tables that serve as locks are left out. */
#define LOCK_HOLDERS_SQL                                                                                            \
  "select h.strength, coalesce(h.since, p.prepared) as since, h.waited_since,"                                      \
  "       format('%s has locked %s%s', case when h.pid is null then 'prepared transaction ' || coalesce(p.gid, '')" \
  "         else format('process %s (%s)', h.pid, concat_ws(', ', nullif(h.application_name, ''), 'role ' || "      \
  "h.usename,"                                                                                                      \
  "           'since ' || date_trunc('second', least(h.since, h.waited_since)))) end,"                              \
  "         case when h.strength = 1 then 'rows of ' else '' end, h.relations) as message,"                         \
  "       case when h.pid is null then 'end it with commit prepared or rollback prepared'"                          \
  "         else format('try again when its transaction has ended, or end it: select pg_terminate_backend(%s)', "   \
  "h.pid) end"                                                                                                      \
  "         as hint"                                                                                                \
  "  from (select l.pid, l.virtualtransaction, a.application_name, a.usename, a.xact_start as since,"               \
  "          max(case l.mode when 'AccessExclusiveLock' then 3 when 'RowShareLock' then 1 when 'RowExclusiveLock' " \
  "then 1"                                                                                                          \
  "                else 2 end) as strength,"                                                                        \
  "          string_agg(distinct format('table %I.%I', n.nspname, c.relname), ', ') as relations,"                  \
  "          (select min(w.waitstart) from pg_catalog.pg_locks w where not w.granted and w.database = d.oid"        \
  "             and w.relation = any (array_agg(l.relation))) as waited_since"                                      \
  "          from pg_catalog.pg_locks l"                                                                            \
  "          join pg_catalog.pg_database d on d.oid = l.database and d.datname = current_database()"                \
  "          join pg_catalog.pg_class c on c.oid = l.relation and c.relkind in ('r', 'p') and c.relnatts > 0"       \
  "          join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname in ('pgflow', 'pgmq')"          \
  "          left join pg_catalog.pg_stat_activity a on a.pid = l.pid"                                              \
  "         where l.locktype = 'relation' and l.granted and l.mode not in ('AccessShareLock', "                     \
  "'ShareUpdateExclusiveLock')"                                                                                     \
  "           and l.pid is distinct from pg_backend_pid()"                                                          \
  "         group by l.pid, l.virtualtransaction, a.application_name, a.usename, a.xact_start, d.oid) h"            \
  "  left join pg_catalog.pg_prepared_xacts p on h.pid is null and '-1/' || p.transaction = h.virtualtransaction"

#define DB_DOCTOR_STATEMENTS(X)                                                                                        \
  X(BACKEND_PID, 0, "select pg_backend_pid()")                                                                         \
  X(LISTEN, 0, "listen luaflow_doctor")                                                                                \
  X(NOTIFY, 1, "select pg_notify('luaflow_doctor', $1)")                                                               \
  /* For whom a statement has most likely waited in vain. Its transaction is older than the wait. */                   \
  X(LOCK_HOLDER, 0,                                                                                                    \
    "select h.message, h.hint from (" LOCK_HOLDERS_SQL                                                                 \
    ") h"                                                                                                              \
    " where h.since is null or h.since < clock_timestamp() - interval '1 second'"                                      \
    " order by h.strength desc, h.since limit 1")                                                                      \
  X(CHECK_TABLE_LOCKS, 0,                                                                                              \
    "select 'problem', h.message || case when h.waited_since is null then '' else '; sessions wait for it' end, "      \
    "       h.hint"                                                                                                    \
    "  from (" LOCK_HOLDERS_SQL                                                                                        \
    ") h"                                                                                                              \
    " where h.strength > 1 and (h.since < clock_timestamp() - interval '5 seconds'"                                    \
    "     or h.waited_since < clock_timestamp() - interval '1 second')"                                                \
    " order by h.strength desc, h.since")                                                                              \
  X(CHECK_SERVER, 0,                                                                                                   \
    "select case when v.number < 150000 then 'problem' else 'ok' end, 'PostgreSQL ' || v.name,"                        \
    "       case when v.number < 150000 then 'luaflow needs 15 or newer' end"                                          \
    "  from (select current_setting('server_version_num')::int as number, current_setting('server_version') as name) " \
    "v"                                                                                                                \
    " union all select 'problem', format('the encoding of the database is %s', current_setting('server_encoding')),"   \
    "       'luaflow needs UTF8: create database NAME encoding ''UTF8'' template template0, and migrate that one'"     \
    "  where current_setting('server_encoding') <> 'UTF8'"                                                             \
    " union all select 'problem', 'the server is a standby, which accepts no writes', 'connect to the primary'"        \
    "  where pg_is_in_recovery()"                                                                                      \
    " union all select 'problem', 'transactions are read-only by default',"                                            \
    "       case s.source when 'database' then format('alter database %I reset ', current_database())"                 \
    "         when 'user' then format('alter role %I reset ', session_user)"                                           \
    "         when 'database user' then format('alter role %I in database %I reset ', session_user, "                  \
    "current_database())"                                                                                              \
    "         when 'client' then 'correct the connection string or PGOPTIONS, which sets '"                            \
    "         else 'in the configuration of the server, reset ' end || s.name"                                         \
    "  from pg_catalog.pg_settings s"                                                                                  \
    "  where s.name = 'default_transaction_read_only' and not pg_is_in_recovery()"                                     \
    "    and current_setting('transaction_read_only')::boolean")                                                       \
  X(CHECK_PGMQ, 0,                                                                                                     \
    "select case when e.recent then 'ok' else 'problem' end, 'extension pgmq ' || e.extversion,"                       \
    "       case when not e.recent then 'luaflow needs 1.5 or newer: alter extension pgmq update' end"                 \
    "  from (select x.extversion, string_to_array(x.extversion, '.')::int[] >= '{1,5}' as recent"                      \
    "          from pg_catalog.pg_extension x where x.extname = 'pgmq') e"                                             \
    " union all"                                                                                                       \
    " select case when n.there then 'ok' else 'problem' end,"                                                          \
    "        case when n.there then 'installed as plain SQL' else 'PGMQ is not installed in this database' end,"       \
    "        case when not n.there and current_setting('server_encoding') = 'UTF8'"                                    \
    "             then 'luaflow migrate installs the extension if the server has it' end"                              \
    "   from (select exists (select from pg_catalog.pg_class c"                                                        \
    "                         where c.relname = 'meta' and c.relnamespace = to_regnamespace('pgmq')) as there) n"      \
    "  where not exists (select from pg_catalog.pg_extension x where x.extname = 'pgmq')")                             \
  X(CHECK_SCHEMA_OWNERS, 0, SCHEMA_FOREIGN_SQL)                                                                        \
  X(CHECK_SCHEMA, 0,                                                                                                   \
    "select 'ok', format('version %s, installation %s%s', (select max(m.version) from pgflow.migrations m),"           \
    "       s.installation_id, case when s.development then ', a development database' else '' end), null"             \
    "  from pgflow.settings s")                                                                                        \
  /* What the role may do. */                                                                                          \
  X(CHECK_RIGHTS, 0,                                                                                                   \
    "with me as (select current_user as name, has_schema_privilege('pgflow', 'usage') as usage,"                       \
    "       pg_has_role(n.nspowner, 'usage') as owns,"                                                                 \
    "       (select string_agg(r.rolname, ', ' order by r.rolname) from pg_catalog.pg_roles r"                         \
    "         where r.rolname in ('pgflow_starter', 'pgflow_worker', 'pgflow_handler', 'pgflow_reader', "              \
    "'pgflow_operator', 'pgflow_compat')"                                                                              \
    "           and pg_has_role(r.oid, 'usage')) as has from pg_catalog.pg_namespace n where n.nspname = 'pgflow'),"   \
    " may as (select case when me.usage then concat_ws(', ',"                                                          \
    "         case when has_function_privilege('pgflow.start_flow(text, jsonb, uuid, text)', 'execute') then 'start "  \
    "runs' end,"                                                                                                       \
    "         case when has_function_privilege('pgflow.deploy_flows(uuid, text, text, jsonb, bigint)', 'execute')"     \
    "              then 'serve as a worker' end,"                                                                      \
    "         case when has_function_privilege('pgflow.worker_status(boolean)', 'execute') then 'read' end,"           \
    "         case when has_function_privilege('pgflow.open_transaction(uuid, text, int, bigint, text, bigint)', "     \
    "'execute')"                                                                                                       \
    "              then 'complete transactional steps' end,"                                                           \
    "         case when has_function_privilege('pgflow.start_tasks(text, bigint[], uuid)', 'execute')"                 \
    "              then 'do tasks as pgflow''s own clients' end,"                                                      \
    "         case when has_function_privilege('pgflow.cancel_run(uuid, text)', 'execute') then 'operate' end) else "  \
    "'' end as what "                                                                                                  \
    "from me)"                                                                                                         \
    " select 'problem', format('these roles are missing: %s', string_agg(r.name, ', ' order by r.n)),"                 \
    "        format('have an administrator run: %s then luaflow migrate, which grants them their rights',"             \
    "          string_agg(format('create role %I nologin;', r.name), ' ' order by r.n))"                               \
    "   from unnest(array['pgflow_starter', 'pgflow_worker', 'pgflow_handler', 'pgflow_reader', 'pgflow_operator', "   \
    "'pgflow_compat'])"                                                                                                \
    "     with ordinality r (name, n)"                                                                                 \
    "  where not exists (select from pg_catalog.pg_roles p where p.rolname = r.name) having count(*) > 0"              \
    " union all"                                                                                                       \
    " select case when may.what = '' then 'problem' else 'ok' end,"                                                    \
    "        case when me.owns then format('role %s owns the schema', me.name)"                                        \
    "             when may.what = '' then format('role %s has no rights on the schema', me.name)"                      \
    "             else format('role %s can: %s', me.name, may.what) end,"                                              \
    "        case when may.what = '' and me.has is not null"                                                           \
    "              then format('it is a member of %s, whose rights are lost, as after a restore without "              \
    "privileges: luaflow migrate grants them again', me.has)"                                                          \
    "             when may.what = '' and to_regrole('pgflow_worker') is null then 'create the missing roles first'"    \
    "             when may.what = '' then format('grant it one of pgflow_worker, pgflow_starter, pgflow_reader, "      \
    "pgflow_operator, for example: grant pgflow_worker to %I', me.name) end"                                           \
    "   from me, may"                                                                                                  \
    " union all " SCHEMA_ROW_SECURITY_SQL                                                                              \
    " union all select 'warning', format('table %s has a trigger that is not luaflow''s, which runs %s', "             \
    "t.tgrelid::regclass, t.tgfoid::regproc),"                                                                         \
    "        'if the trigger fails, luaflow''s statements fail too: drop it, or make sure that it cannot fail'"        \
    "   from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid"                                  \
    "   join pg_catalog.pg_proc p on p.oid = t.tgfoid"                                                                 \
    "  where c.relnamespace = to_regnamespace('pgflow') and not t.tgisinternal and t.tgenabled <> 'D'"                 \
    "    and p.pronamespace is distinct from to_regnamespace('pgflow')")                                               \
  X(MAY_READ, 0, "select has_function_privilege('pgflow.worker_status(boolean)', 'execute')")                          \
  /* Limits of time: this session has its own; the sessions of handlers have the role's. lock_timeout is not among \
   * them: a handler that waits for a lock in vain is to be tried again. */   \
  X(CHECK_SETTINGS, 0,                                                                                                 \
    "with limits (name, what) as (values ('statement_timeout', 'statements of handlers that take longer'),"            \
    " ('idle_in_transaction_session_timeout', 'transactional steps whose handlers do longer without a statement'),"    \
    " ('transaction_timeout', 'transactional steps that take longer')),"                                               \
    " found (level, message, hint) as ("                                                                               \
    " select 'warning', s.name || ' is off: a crash of the server may damage or lose data', 'switch it on'"            \
    "   from pg_catalog.pg_settings s where s.name in ('fsync', 'full_page_writes') and s.setting = 'off'"             \
    " union all select 'warning', 'synchronous_commit is off: a crash of the server may lose what it has just "        \
    "confirmed',"                                                                                                      \
    "        'set it to on for the roles of luaflow' where current_setting('synchronous_commit') = 'off'"              \
    " union all select 'warning', s.name || ' is off: the tables of queues and tasks only grow', 'switch it on'"       \
    "   from pg_catalog.pg_settings s where s.name in ('autovacuum', 'track_counts') and s.setting = 'off'"            \
    " union all select 'warning', format('%s is %s: it ends %s', s.name, s.reset_val || s.unit, l.what),"              \
    "        'set it to 0, or to 60s or more, for the roles of luaflow'"                                               \
    "   from limits l join pg_catalog.pg_settings s on s.name = l.name"                                                \
    "  where case when s.name = l.name then s.reset_val::bigint end between 1 and 59999"                               \
    " union all select distinct 'warning', format('role %s has %s: it ends %s', r.rolname, x.setting, l.what),"        \
    "        format('alter role %I set %s = 0, or 60s or more', r.rolname, l.name)"                                    \
    "   from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole and not r.rolsuper and "  \
    "r.rolname <> current_user"                                                                                        \
    "   cross join unnest(s.setconfig) x (setting)"                                                                    \
    "   cross join lateral (select split_part(x.setting, '=', 1) as name, split_part(x.setting, '=', 2) as value) v"   \
    "   join limits l on l.name = v.name"                                                                              \
    "  where s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))"  \
    "    and exists (select from pg_catalog.pg_roles g where g.rolname in ('pgflow_worker', 'pgflow_handler') and "    \
    "pg_has_role(r.oid, g.oid, 'usage'))"                                                                              \
    "    and case when l.name <> v.name then false"                                                                    \
    "             when v.value ~ '^[0-9.]+$' then v.value::float8 between 1 and 59999"                                 \
    "             else v.value::interval between interval '1 ms' and interval '59999 ms' end"                          \
    " union all select 'warning', format('%s of at most %s connections are in use', c.used, c.most),"                  \
    "        'raise max_connections: a worker needs 2 and its --handler-connections, a command needs 1'"               \
    "   from (select count(*) as used, current_setting('max_connections')::int as most"                                \
    "           from pg_catalog.pg_stat_activity a"                                                                    \
    "          where a.usesysid is not null and coalesce(a.backend_type, 'client backend') = 'client backend') c"      \
    "  where c.used > c.most * 0.9)"                                                                                   \
    " select * from found union all select 'ok', 'no setting needs a change', null where not exists (select from "     \
    "found)")                                                                                                          \
  X(CHECK_OWNER, 0, "select * from pgflow.doctor_owner()")                                                             \
  X(CHECK_DISK, 0, "select * from pgflow.doctor_disk()")                                                               \
  X(CHECK_QUEUES, 0, "select * from pgflow.doctor_queues()")                                                           \
  X(CHECK_WORKERS, 0, "select * from pgflow.doctor_workers()")                                                         \
  X(CHECK_LOCKS, 0, "select * from pgflow.doctor_locks()")                                                             \
  X(CHECK_CLOCK, 0, "select * from pgflow.doctor_clock()")                                                             \
  X(CHECK_FUNCTIONS, 0, "select * from pgflow.doctor_functions()")                                                     \
  X(CHECK_EVENTS, 0, "select * from pgflow.doctor_events()")                                                           \
  X(CHECK_INVARIANTS, 1, "select * from pgflow.doctor_invariants($1::boolean)")

#endif
