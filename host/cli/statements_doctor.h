/* The statements of doctor. A check answers with its findings: level (ok, warning, problem), what was found, what to do about it. */
#ifndef LUAFLOW_CLI_STATEMENTS_DOCTOR_H
#define LUAFLOW_CLI_STATEMENTS_DOCTOR_H

#include "cli/trouble_words.h"

#define DB_DOCTOR_STATEMENTS(X)                                                                                                                                                \
  X(BACKEND_PID, 0, "select pg_backend_pid()")                                                                                                                                 \
  X(LISTEN, 0, "listen luaflow_doctor")                                                                                                                                        \
  X(NOTIFY, 1, "select pg_notify('luaflow_doctor', $1)")                                                                                                                       \
  X(CHECK_SERVER, 0,                                                                                                                                                           \
    "select case when v.number < 150000 then 'problem' else 'ok' end, 'PostgreSQL ' || v.name,"                                                                                \
    "       case when v.number < 150000 then 'luaflow needs 15 or newer' end"                                                                                                  \
    "  from (select current_setting('server_version_num')::int as number, current_setting('server_version') as name) "                                                         \
    "v"                                                                                                                                                                        \
    " union all select 'problem', format('the encoding of the database is %s', current_setting('server_encoding')),"                                                           \
    "       'luaflow needs UTF8: create database NAME encoding ''UTF8'' template template0, and migrate that one'"                                                             \
    "  where current_setting('server_encoding') <> 'UTF8'"                                                                                                                     \
    " union all select 'problem', 'the server is a standby, which takes no writes', 'connect to the primary'"                                                                  \
    "  where pg_is_in_recovery()"                                                                                                                                              \
    " union all select 'problem', 'transactions are read-only by default',"                                                                                                    \
    "       'unset default_transaction_read_only for this role and database'"                                                                                                  \
    "  where not pg_is_in_recovery() and current_setting('transaction_read_only')::boolean")                                                                                   \
  X(CHECK_PGMQ, 0,                                                                                                                                                             \
    "select case when e.recent then 'ok' else 'problem' end, 'extension pgmq ' || e.extversion,"                                                                               \
    "       case when not e.recent then 'luaflow needs 1.5 or newer: alter extension pgmq update' end"                                                                         \
    "  from (select x.extversion, string_to_array(x.extversion, '.')::int[] >= '{1,5}' as recent"                                                                              \
    "          from pg_catalog.pg_extension x where x.extname = 'pgmq') e"                                                                                                     \
    " union all"                                                                                                                                                               \
    " select case when n.there then 'ok' else 'problem' end,"                                                                                                                  \
    "        case when n.there then 'installed as plain SQL' else 'PGMQ is not installed in this database' end,"                                                               \
    "        case when not n.there then 'luaflow migrate installs the extension where the server has it' end"                                                                  \
    "   from (select exists (select from pg_catalog.pg_class c"                                                                                                                \
    "                         where c.relname = 'meta' and c.relnamespace = to_regnamespace('pgmq')) as there) n"                                                              \
    "  where not exists (select from pg_catalog.pg_extension x where x.extname = 'pgmq')")                                                                                     \
  X(CHECK_SCHEMA, 0,                                                                                                                                                           \
    "select 'ok', format('version %s, installation %s%s', (select max(m.version) from pgflow.migrations m),"                                                                   \
    "       s.installation_id, case when s.development then ', a development database' else '' end), null"                                                                     \
    "  from pgflow.settings s")                                                                                                                                                \
  /* What the role may do. */                                                                                                                                                  \
  X(CHECK_RIGHTS, 0,                                                                                                                                                           \
    "with me as (select current_user as name, has_schema_privilege('pgflow', 'usage') as usage,"                                                                               \
    "       pg_has_role(n.nspowner, 'usage') as owns,"                                                                                                                         \
    "       (select string_agg(r.rolname, ', ' order by r.rolname) from pg_catalog.pg_roles r"                                                                                 \
    "         where r.rolname in ('pgflow_starter', 'pgflow_worker', 'pgflow_handler', 'pgflow_reader', "                                                                      \
    "'pgflow_operator', 'pgflow_compat')"                                                                                                                                      \
    "           and pg_has_role(r.oid, 'usage')) as has from pg_catalog.pg_namespace n where n.nspname = 'pgflow'),"                                                           \
    " may as (select case when me.usage then concat_ws(', ',"                                                                                                                  \
    "         case when has_function_privilege('pgflow.start_flow(text, jsonb, uuid, text)', 'execute') then 'start "                                                          \
    "runs' end,"                                                                                                                                                               \
    "         case when has_function_privilege('pgflow.deploy_flows(uuid, text, text, jsonb, bigint)', 'execute')"                                                             \
    "              then 'serve as a worker' end,"                                                                                                                              \
    "         case when has_table_privilege('pgflow.step_states', 'select') then 'read' end,"                                                                                  \
    "         case when has_function_privilege('pgflow.open_transaction(uuid, text, int, bigint, text, bigint)', "                                                             \
    "'execute')"                                                                                                                                                               \
    "              then 'complete transactional steps' end,"                                                                                                                   \
    "         case when has_function_privilege('pgflow.start_tasks(text, bigint[], uuid)', 'execute')"                                                                         \
    "              then 'do tasks as pgflow''s own clients' end,"                                                                                                              \
    "         case when has_function_privilege('pgflow.cancel_run(uuid, text)', 'execute') then 'operate' end) else "                                                          \
    "'' end as what "                                                                                                                                                          \
    "from me)"                                                                                                                                                                 \
    " select case when may.what = '' then 'problem' else 'ok' end,"                                                                                                            \
    "        case when me.owns then format('role %s owns the schema', me.name)"                                                                                                \
    "             when may.what = '' then format('role %s has no rights on the schema', me.name)"                                                                              \
    "             else format('role %s may: %s', me.name, may.what) end,"                                                                                                      \
    "        case when may.what = '' and me.has is not null"                                                                                                                   \
    "              then format('it is a member of %s, whose own rights were lost, as by a restore without "                                                                    \
    "privileges: luaflow migrate gives them again', me.has)"                                                                                                                   \
    "             when may.what = '' then format('grant it one of pgflow_worker, pgflow_starter, pgflow_reader, "                                                              \
    "pgflow_operator, such "                                                                                                                                                   \
    "as: "                                                                                                                                                                     \
    "grant pgflow_worker to %I', me.name) end"                                                                                                                                 \
    "   from me, may"                                                                                                                                                          \
    " union all select 'problem', 'row security is on for ' || string_agg(c.oid::regclass::text, ', ' order by "                                                               \
    "c.relname),"                                                                                                                                                              \
    "        'whoever does not own them reads no row: alter table ... disable row level security'"                                                                             \
    "   from pg_catalog.pg_class c where c.relnamespace = to_regnamespace('pgflow') and c.relrowsecurity"                                                                      \
    "  having count(*) > 0"                                                                                                                                                    \
    " union all select 'warning', format('table %s has a trigger that is not luaflow''s, which runs %s', "                                                                     \
    "t.tgrelid::regclass, t.tgfoid::regproc),"                                                                                                                                 \
    "        'where it fails, what luaflow does fails with it: drop it, or keep it from failing'"                                                                              \
    "   from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid"                                                                                          \
    "   join pg_catalog.pg_proc p on p.oid = t.tgfoid"                                                                                                                         \
    "  where c.relnamespace = to_regnamespace('pgflow') and not t.tgisinternal and t.tgenabled <> 'D'"                                                                         \
    "    and p.pronamespace is distinct from to_regnamespace('pgflow')"                                                                                                        \
    " union all select 'warning', 'there is no role ' || r.name,"                                                                                                              \
    "        format('have an administrator run: create role %s nologin; then luaflow migrate', r.name)"                                                                        \
    "   from unnest(array['pgflow_starter', 'pgflow_worker', 'pgflow_reader', 'pgflow_operator', 'pgflow_compat', "                                                            \
    "'pgflow_handler']) r "                                                                                                                                                    \
    "(name)"                                                                                                                                                                   \
    "  where not exists (select from pg_catalog.pg_roles p where p.rolname = r.name)")                                                                                         \
  /* Whether the owner of the functions, as whom they run, may use the queues. */                                                                                              \
  X(CHECK_OWNER, 0,                                                                                                                                                            \
    "with owner as (select n.nspowner as role, n.nspowner::regrole as name"                                                                                                    \
    "   from pg_catalog.pg_namespace n where n.nspname = 'pgflow'), found (level, message, hint) as ("                                                                         \
    " select 'problem', format('role %s, which owns the functions, may not use schema pgmq', o.name),"                                                                         \
    "        format('grant usage on schema pgmq to %s', o.name)"                                                                                                               \
    "   from owner o where to_regnamespace('pgmq') is not null and not has_schema_privilege(o.role, 'pgmq', 'usage')"                                                          \
    " union all select 'problem', format('role %s, which owns the functions, may not use table pgmq.%s', o.name, "                                                             \
    "c.relname),"                                                                                                                                                              \
    "        format('alter table pgmq.%I owner to %s', c.relname, o.name)"                                                                                                     \
    "   from owner o, pgflow.queues q, unnest(array['q_', 'a_']) p (prefix), pg_catalog.pg_class c"                                                                            \
    "  where c.relnamespace = to_regnamespace('pgmq') and c.relname = p.prefix || q.queue_name"                                                                                \
    "    and not (has_table_privilege(o.role, c.oid, 'select') and has_table_privilege(o.role, c.oid, 'insert')"                                                               \
    "             and has_table_privilege(o.role, c.oid, 'update') and has_table_privilege(o.role, c.oid, 'delete'))"                                                          \
    " union all select 'warning',"                                                                                                                                             \
    "        format('no events are sent: realtime.send belongs to role %s and its schema to %s, and not both are "                                                             \
    "trusted',"                                                                                                                                                                \
    "               p.proowner::regrole, n.nspowner::regrole),"                                                                                                                \
    "        'if they may act with the rights of the owner: update pgflow.settings set trusted_roles = '"                                                                      \
    "        || quote_literal(array[p.proowner::regrole::text, n.nspowner::regrole::text])"                                                                                    \
    "   from owner o, pgflow.settings s, pg_catalog.pg_namespace n, pg_catalog.pg_proc p"                                                                                      \
    "  where n.nspname = 'realtime' and p.pronamespace = n.oid and p.proname = 'send'"                                                                                         \
    "    and exists (select from pg_catalog.pg_roles r where r.oid in (p.proowner, n.nspowner) and not r.rolsuper"                                                             \
    "                and r.oid <> o.role and r.rolname <> all (s.trusted_roles)))"                                                                                             \
    " select * from found union all select 'ok', format('role %s owns the functions and may use the queues', "                                                                 \
    "o.name), null"                                                                                                                                                            \
    "   from owner o where not exists (select from found)")                                                                                                                    \
  X(CHECK_SETTINGS, 0,                                                                                                                                                         \
    "with found (level, message, hint) as ("                                                                                                                                   \
    " select 'warning', s.name || ' is off: a crash of the server may damage or lose data', 'switch it on'"                                                                    \
    "   from pg_catalog.pg_settings s where s.name in ('fsync', 'full_page_writes') and s.setting = 'off'"                                                                     \
    " union all select 'warning', 'synchronous_commit is off: a crash of the server may lose what it has just "                                                                \
    "confirmed',"                                                                                                                                                              \
    "        'set it to on for the roles of luaflow' where current_setting('synchronous_commit') = 'off'"                                                                      \
    " union all select 'warning', s.name || ' is off: the tables of queues and tasks only grow', 'switch it on'"                                                               \
    "   from pg_catalog.pg_settings s where s.name in ('autovacuum', 'track_counts') and s.setting = 'off'" /* This session has its own; those of handlers have the role's. */ \
    " union all select 'warning', format('statement_timeout is %s: it ends what handlers ask the database when it "                                                            \
    "takes "                                                                                                                                                                   \
    "longer', s.reset_val || s.unit),"                                                                                                                                         \
    "        'set it to 0, or to 60s or more, for the roles of luaflow'"                                                                                                       \
    "   from pg_catalog.pg_settings s where s.name = 'statement_timeout' and s.reset_val::bigint between 1 and 59999"                                                          \
    " union all select distinct 'warning', format('role %s has %s: it ends what handlers ask the database when it "                                                            \
    "takes longer', r.rolname, x.setting),"                                                                                                                                    \
    "        format('alter role %I set statement_timeout = 0, or 60s or more', r.rolname)"                                                                                     \
    "   from pg_catalog.pg_db_role_setting s join pg_catalog.pg_roles r on r.oid = s.setrole and not r.rolsuper and "                                                          \
    "r.rolname <> current_user"                                                                                                                                                \
    "   cross join unnest(s.setconfig) x (setting)"                                                                                                                            \
    "  where s.setdatabase in (0, (select d.oid from pg_catalog.pg_database d where d.datname = current_database()))"                                                          \
    "    and exists (select from pg_catalog.pg_roles g where g.rolname in ('pgflow_worker', 'pgflow_handler') and "                                                            \
    "pg_has_role(r.oid, g.oid, 'usage'))"                                                                                                                                      \
    "    and x.setting like 'statement_timeout=%'"                                                                                                                             \
    "    and case when x.setting ~ '^statement_timeout=[0-9.]+$' then make_interval(secs => split_part(x.setting, "                                                            \
    "'=', 2)::float8 / 1000)"                                                                                                                                                  \
    "             else split_part(x.setting, '=', 2)::interval end between interval '1 ms' and interval '59999 ms'"                                                            \
    " union all select 'warning', format('%s of at most %s connections are in use', c.used, c.most),"                                                                          \
    "        'raise max_connections: a worker needs 2 and those of its handlers, and a command 1'"                                                                             \
    "   from (select count(*) as used, current_setting('max_connections')::int as most"                                                                                        \
    "           from pg_catalog.pg_stat_activity a where a.backend_type = 'client backend') c"                                                                                 \
    "  where c.used > c.most * 0.9"                                                                                                                                            \
    " union all select 'warning', format('a transaction of process %s (%s) has been open for %s: nothing that ended "                                                          \
    "since can be vacuumed',"                                                                                                                                                  \
    "        a.pid, coalesce(nullif(a.application_name, ''), a.usename), date_trunc('second', clock_timestamp() - "                                                            \
    "a.xact_start)),"                                                                                                                                                          \
    "        format('end it: select pg_terminate_backend(%s)', a.pid)"                                                                                                         \
    "   from pg_catalog.pg_stat_activity a"                                                                                                                                    \
    "  where a.datname = current_database() and a.xact_start < clock_timestamp() - interval '1 hour'"                                                                          \
    "    and a.backend_type = 'client backend'"                                                                                                                                \
    " union all select 'warning', format('a prepared transaction, %s, has been open since %s', p.gid, "                                                                        \
    "date_trunc('second', p.prepared)),"                                                                                                                                       \
    "        'commit prepared or rollback prepared it'"                                                                                                                        \
    "   from pg_catalog.pg_prepared_xacts p"                                                                                                                                   \
    "  where p.database = current_database() and p.prepared < clock_timestamp() - interval '1 hour')"                                                                          \
    " select * from found union all select 'ok', 'nothing to remark', null where not exists (select from found)")                                                              \
  X(CHECK_QUEUES, 0,                                                                                                                                                           \
    "with queues as (select q.*, c.oid is not null as there from pgflow.queue_status q"                                                                                        \
    "   left join pg_catalog.pg_class c on c.relnamespace = to_regnamespace('pgmq') and c.relname = 'q_' || "                                                                  \
    "q.queue_name),"                                                                                                                                                           \
    " rollout as (select count(*) > 0 as open from pgflow.rollout_status()),"                                                                                                  \
    " found (level, message, hint) as ("                                                                                                                                       \
    " select 'problem', coalesce('queue ' || t.queue_name || ' is not to be trusted: ', '')"                                                                                   \
    "        || t.reason, t.remedy from pgflow.trust_faults() t"                                                                                                               \
    " union all select 'problem', format('queue %s has lost its table', q.queue_name),"                                                                                        \
    "        'start or restart a worker whose flows name it: its deployment makes the table and the messages again'"                                                           \
    "   from queues q where not q.there"                                                                                                                                       \
    " union all select case when r.open or q.oldest_age < interval '1 minute' then 'warning' else 'problem' end,"                                                              \
    "        format('queue %s holds %s message%s and has no live worker', q.queue_name, q.depth, case when q.depth = "                                                         \
    "1 then '' else 's' end),"                                                                                                                                                 \
    "        case when r.open then 'a rollout is open: luaflow rollout status'"                                                                                                \
    "             else format('start one: luaflow worker --queue %s PATH', q.queue_name) end"                                                                                  \
    "   from queues q, rollout r where q.live_workers = 0 and q.depth > 0"                                                                                                     \
    " union all select 'problem', format('a live worker of queue %s does not handle %s', q.queue_name, "                                                                       \
    "array_to_string(q.uncovered_pairs, ', ')),"                                                                                                                               \
    "        'it stops when it meets one: restart it with flows that have them'"                                                                                               \
    "   from queues q where q.live_workers > 0 and q.uncovered_pairs <> '{}'"                                                                                                  \
    " union all select 'warning', format('queue %s: %s', q.queue_name, g.message), g.hint"                                                                                     \
    "   from queues q cross join lateral pgflow.queue_faults(case when q.depth is not null then q.queue_name end) f"                                                           \
    "   cross join lateral (values"                                                                                                                                            \
    "     (f.far_messages, 'messages are hidden for more than a day longer than a start delay: ' || f.far_messages,"                                                           \
    "      'a worker of the queue shows those that no retry explains, within 10 s: see its log'),"                                                                             \
    "     (f.foreign_messages, 'messages that belong to no task are the next to be read: ' || f.foreign_messages,"                                                             \
    "      'a worker archives them when they are 60 s old; stop what sends them'),"                                                                                            \
    "     (f.suspects, 'tasks that ended their executor, or lost their transaction, and are tried again: ' || "                                                                \
    "f.suspects,"                                                                                                                                                              \
    "      'the logs of its workers name them')) g (number, message, hint)"                                                                                                    \
    "  where q.depth is not null and q.live_workers > 0 and g.number > 0)"                                                                                                     \
    " select * from found union all select 'ok', format('%s queue%s, %s message%s', count(*), case when count(*) = 1 "                                                         \
    "then '' else 's' end,"                                                                                                                                                    \
    "        coalesce(sum(q.depth), 0), case when sum(q.depth) = 1 then '' else 's' end), null"                                                                                \
    "   from queues q having not exists (select from found)")                                                                                                                  \
  X(CHECK_WORKERS, 0,                                                                                                                                                          \
    "with workers as (select w.*, w.last_heartbeat_at between clock_timestamp() - interval '30 seconds'"                                                                       \
    "        and clock_timestamp() + interval '30 seconds' as lives,"                                                                                                          \
    "        date_trunc('second', clock_timestamp() - w.last_heartbeat_at) as silence"                                                                                         \
    "   from pgflow.workers w where w.stopped_at is null),"                                                                                                                    \
    " found (level, message, hint) as ("                                                                                                                                       \
    " select case when l.others > 0 then 'warning' else 'problem' end,"                                                                                                        \
    "        format('worker %s of queue %s was last heard of %s ago and holds %s started task%s', w.worker_id, "                                                               \
    "w.queue_name,"                                                                                                                                                            \
    "          w.silence, t.tasks_in_flight, case when t.tasks_in_flight = 1 then '' else 's' end),"                                                                           \
    "        case when l.others > 0 then 'another worker of the queue recovers them within a minute'"                                                                          \
    "             else format('start a worker of the queue, which recovers them: luaflow worker --queue %s PATH', "                                                            \
    "w.queue_name) end"                                                                                                                                                        \
    "   from workers w join pgflow.worker_tasks() t on t.worker_id = w.worker_id"                                                                                              \
    "   cross join lateral (select count(*) as others from workers o"                                                                                                          \
    "     where o.lives and o.deprecated_at is null and o.queue_name = w.queue_name) l"                                                                                        \
    "  where not w.lives"                                                                                                                                                      \
    " union all select 'warning', format('worker %s of queue %s still serves the flows of before, since its last "                                                             \
    "reload failed: %s',"                                                                                                                                                      \
    "        w.worker_id, w.queue_name, w.last_reload_error), 'correct the flows and reload it'"                                                                               \
    "   from workers w where w.lives and w.last_reload_error is not null"                                                                                                      \
    " union all select x.level, format('worker %s of queue %s, since %s: %s', w.worker_id, w.queue_name, "                                                                     \
    "date_trunc('second', t.since), " TROUBLE_WORDS                                                                                                                            \
    "), x.hint"                                                                                                                                                                \
    "   from workers w join pgflow.worker_troubles t on t.worker_id = w.worker_id"                                                                                             \
    "   cross join lateral (select case when t.trouble in ('descriptors', 'connections') then 'warning' else "                                                                 \
    "'problem' end,"                                                                                                                                                           \
    "     case when t.error ~ 'no answer within|statement timeout|lock timeout'"                                                                                               \
    "          then 'it takes too long and is tried again, with more time: look for slow triggers on tables of "                                                               \
    "schema pgflow, for locks, and at what pg_stat_activity says it waits for'"                                                                                                \
    "          else case t.trouble"                                                                                                                                            \
    "     when 'unrecorded' then 'correct what the error names; the worker keeps the results and tries again'"                                                                 \
    "     when 'recovery' then 'correct what the error names; until then the tasks of dead workers are not put back'"                                                          \
    "     when 'executors' then 'its log names the tasks and has what the executors printed: correct the handlers or "                                                         \
    "the modules'"                                                                                                                                                             \
    "     when 'descriptors' then 'raise the hard limit of open files of the worker (ulimit -Hn, or LimitNOFILE of "                                                           \
    "its systemd unit) and restart it'"                                                                                                                                        \
    "     when 'connections' then 'see what its handlers do in pg_stat_activity (application_name luaflow handler ' "                                                          \
    "|| w.queue_name || '), or raise --handler-connections'"                                                                                                                   \
    "     else 'correct what the error names; the worker tries again' end end) x (level, hint)"                                                                                \
    "  where w.lives or t.trouble = 'heartbeat'"                                                                                                                               \
    " union all select 'warning', format('worker %s of queue %s holds %s task%s past their timeout', w.worker_id, "                                                            \
    "w.queue_name,"                                                                                                                                                            \
    "        cardinality(w.overdue_tasks), case when cardinality(w.overdue_tasks) = 1 then '' else 's' end),"                                                                  \
    "        'nothing puts them back while the worker lists them; its log says what it waits for'"                                                                             \
    "   from workers w where w.lives and cardinality(w.overdue_tasks) > 0)"                                                                                                    \
    " select * from found union all select 'ok', format('%s live worker%s', count(*) filter (where w.lives),"                                                                  \
    "        case when count(*) filter (where w.lives) = 1 then '' else 's' end), null"                                                                                        \
    "   from workers w having not exists (select from found)")                                                                                                                 \
  /* Sessions that keep others from starting runs, or from deploying. */                                                                                                       \
  X(CHECK_LOCKS, 0,                                                                                                                                                            \
    "with found (level, message, hint) as ("                                                                                                                                   \
    " select case when h.waiting > 0 then 'problem' else 'warning' end,"                                                                                                       \
    "        format('%s has held %s since %s%s', h.who,"                                                                                                                       \
    "          case when h.flow_aliases = '{}' then 'the lock of deployments or rollouts'"                                                                                     \
    "               else format('the lock%s of alias%s %s%s', case when cardinality(h.flow_aliases) = 1 then '' else "                                                         \
    "'s' end,"                                                                                                                                                                 \
    "                 case when cardinality(h.flow_aliases) = 1 then '' else 'es' end, "                                                                                       \
    "array_to_string(h.flow_aliases[1:5], ', '),"                                                                                                                              \
    "                 case when cardinality(h.flow_aliases) > 5 then format(' and %s more', "                                                                                  \
    "cardinality(h.flow_aliases) - 5) else '' end) end,"                                                                                                                       \
    "          coalesce(date_trunc('second', h.since)::text, 'more than 5 s ago'),"                                                                                            \
    "          case when h.waiting > 0 then format('; sessions that wait for it: %s', h.waiting) else '' end),"                                                                \
    "        format('%s: %s', case when h.deploys then 'it deploys or changes flows, and keeps runs from being "                                                               \
    "started'"                                                                                                                                                                 \
    "                              else 'its open transaction has started a run, and keeps workers from deploying' "                                                           \
    "end,"                                                                                                                                                                     \
    "          case when h.pid is null then 'commit prepared or rollback prepared it'"                                                                                         \
    "               else format('have it commit, or end it: select pg_terminate_backend(%s)', h.pid) end)"                                                                     \
    "   from pgflow.lock_holders() h)"                                                                                                                                         \
    " select * from found union all select 'ok', 'nothing holds a lock of runs and deployments for long', null"                                                                \
    "   where not exists (select from found)")                                                                                                                                 \
  /* Jumps that heartbeats have found, and rows that a clock ahead of this one has written. */                                                                                 \
  X(CHECK_CLOCK, 0,                                                                                                                                                            \
    "with found (level, message, hint) as ("                                                                                                                                   \
    " select 'warning', format('the database''s clock jumped by %s at %s, or the host of worker %s stood still',"                                                              \
    "        date_trunc('second', w.clock_jumped_by), date_trunc('second', w.clock_jumped_at), w.worker_id),"                                                                  \
    "        'keep the clock of the server synchronized in small steps; nothing is judged by it for 30 s after a "                                                             \
    "jump'"                                                                                                                                                                    \
    "   from (select w.* from pgflow.workers w where w.clock_jumped_at between clock_timestamp() - interval '1 hour'"                                                          \
    "           and clock_timestamp() + interval '1 hour' order by w.clock_jumped_at desc limit 1) w"                                                                          \
    " union all select 'warning', format('the last heartbeat of %s worker%s lies in the future, up to %s',"                                                                    \
    "        count(*), case when count(*) = 1 then '' else 's' end, date_trunc('second', max(w.last_heartbeat_at))),"                                                          \
    "        'the database''s clock was set back; such a worker counts as dead until it sends another'"                                                                        \
    "   from pgflow.workers w where w.stopped_at is null and w.last_heartbeat_at > clock_timestamp() + interval '30 "                                                          \
    "seconds'"                                                                                                                                                                 \
    "   having count(*) > 0)"                                                                                                                                                  \
    " select * from found union all select 'ok', 'no worker has seen it jump within the last hour', null"                                                                      \
    "   where not exists (select from found)")                                                                                                                                 \
  X(CHECK_FUNCTIONS, 0,                                                                                                                                                        \
    "with found (level, message, hint) as ("                                                                                                                                   \
    " select 'warning', format('a rollout of %s is open since %s', string_agg(r.function_name, ', ' order by "                                                                 \
    "r.function_name),"                                                                                                                                                        \
    "        date_trunc('second', min(r.begun_at))), 'luaflow rollout status shows what it waits for'"                                                                         \
    "   from pgflow.rollout_status() r having count(*) > 0"                                                                                                                    \
    " union all select 'warning', format('worker function %s is disabled: its workers wait when they start', "                                                                 \
    "f.function_name),"                                                                                                                                                        \
    "        format('luaflow functions enable %s', f.function_name)"                                                                                                           \
    "   from pgflow.worker_functions f"                                                                                                                                        \
    "  where not f.enabled and not exists (select from pgflow.rollout_status() r where r.function_name = "                                                                     \
    "f.function_name))"                                                                                                                                                        \
    " select * from found union all select 'ok', format('%s worker function%s, all enabled', count(*),"                                                                        \
    "        case when count(*) = 1 then '' else 's' end), null"                                                                                                               \
    "   from pgflow.worker_functions f having not exists (select from found)")                                                                                                 \
  X(CHECK_EVENTS, 0,                                                                                                                                                           \
    "select case when f.recent then 'warning' else 'ok' end,"                                                                                                                  \
    "       case when f.recent then format('events of runs could not be sent, last at %s: %s', f.failed_at, "                                                                  \
    "f.message)"                                                                                                                                                               \
    "            else 'no event has failed within the last hour' end,"                                                                                                         \
    "       case when f.recent then 'runs go on without them; correct realtime.send and the tables that it writes "                                                            \
    "to' "                                                                                                                                                                     \
    "end"                                                                                                                                                                      \
    "  from (select date_trunc('second', e.failed_at) as failed_at, e.message,"                                                                                                \
    "               e.failed_at > clock_timestamp() - interval '1 hour' as recent from pgflow.event_failures e) f")                                                            \
  /* $1: in full. */                                                                                                                                                           \
  X(CHECK_INVARIANTS, 1,                                                                                                                                                       \
    "with rows as materialized (select i.*, split_part(i.subject, ' ', 1) as queue_name from "                                                                                 \
    "pgflow.check_invariants($1::boolean) i),"                                                                                                                                 \
    " broken as (select r.*, count(*) over () as total, row_number() over () as n from rows r"                                                                                 \
    "   where r.invariant not in ('active task has a message', 'message belongs to a task')),"                                                                                 \
    " messages as (select r.invariant, r.queue_name, count(*) as number,"                                                                                                      \
    "     exists (select from pgflow.workers w where w.queue_name = r.queue_name and w.stopped_at is null and "                                                                \
    "w.deprecated_at is null"                                                                                                                                                  \
    "       and w.last_heartbeat_at between clock_timestamp() - interval '30 seconds' and clock_timestamp() + "                                                                \
    "interval '30 seconds') as lives"                                                                                                                                          \
    "   from rows r where r.invariant in ('active task has a message', 'message belongs to a task') group by 1, 2),"                                                           \
    " found (level, message, hint) as ("                                                                                                                                       \
    " select case when m.lives then 'warning' else 'problem' end,"                                                                                                             \
    "        format('queue %s: tasks without a message: %s; it was purged, or messages were deleted or archived', "                                                            \
    "m.queue_name, m.number),"                                                                                                                                                 \
    "        case when m.lives then 'a worker of the queue sends them again: it begins within 10 s and then looks at "                                                         \
    "up to 2,000 open tasks a second; '"                                                                                                                                       \
    "             else 'start a worker of the queue, which sends them again: luaflow worker --queue ' || "                                                                     \
    "m.queue_name || ' PATH; ' end"                                                                                                                                            \
    "        || 'find out who calls pgmq.purge_queue, or deletes messages'"                                                                                                    \
    "   from messages m where m.invariant = 'active task has a message'"                                                                                                       \
    " union all select 'warning', format('queue %s: messages that belong to no task: %s', m.queue_name, m.number),"                                                            \
    "        case when m.lives then 'a worker archives them' else 'a worker of the queue, when one runs, archives "                                                            \
    "them' end"                                                                                                                                                                \
    "        || ' when they are 60 s old, up to 1,000 at a time; stop what sends them'"                                                                                        \
    "   from messages m where m.invariant = 'message belongs to a task'"                                                                                                       \
    " union all select 'problem', format('%s: %s: %s%s', b.invariant, b.subject, b.detail,"                                                                                    \
    "        case when b.n = 5 and b.total > 5 then format(' (and %s more)', b.total - 5) else '' end),"                                                                       \
    "        format('select * from pgflow.check_invariants(%s) has them all; unless somebody changed the tables, "                                                             \
    "report it as a bug of luaflow',"                                                                                                                                          \
    "               case when $1::boolean then 'true' else '' end)"                                                                                                            \
    "   from broken b where b.n <= 5)"                                                                                                                                         \
    " select * from found union all select 'ok', case when $1::boolean then 'the data is consistent'"                                                                          \
    "        else 'the data of what is under way is consistent; --full looks at ended runs too' end, null"                                                                     \
    "   where not exists (select from found)")

#endif
