-- doctor_owner() -> findings (level ok | warning | problem, what was found, what to do): whether the owner of the
-- functions, as whom they run, can use the queues and send events. Takes no locks.
create or replace function pgflow.doctor_owner() returns table (level text, message text, hint text)
language sql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
  with owner as (
    select n.nspowner as role, n.nspowner::regrole as name from pg_namespace n where n.nspname = 'pgflow'
  ),
  found (level, message, hint) as (
    select 'problem', format('role %s, which owns the functions, has no right to %s', o.name, l.what),
      format('have a superuser run, in this database: grant usage, create on schema pgmq to %1$s; grant all on all tables in schema pgmq to %1$s', o.name)
    from owner o
    join pg_namespace n on n.nspname = 'pgmq'
    cross join lateral (
      select case
        when not has_schema_privilege(o.role, n.oid, 'usage') then 'use schema pgmq'
        when not has_schema_privilege(o.role, n.oid, 'create') then 'create queues in schema pgmq'
        when exists (
          select from pg_class c
          where c.relnamespace = n.oid and c.relname = 'meta'
            and not (
              has_table_privilege(o.role, c.oid, 'select') and has_table_privilege(o.role, c.oid, 'insert') and has_table_privilege(o.role, c.oid, 'delete')
            )
        ) then 'use table pgmq.meta'
      end
    ) l (what)
    where l.what is not null
    union all
    select 'problem', format('role %s, which owns the functions, has no right to use table pgmq.%s', o.name, c.relname),
      format('as a superuser, or as role %s if it is a member of %s: alter table pgmq.%I owner to %2$s', c.relowner::regrole, o.name, c.relname)
    from owner o
    cross join pgflow.queues q
    cross join unnest(array['q_', 'a_']) p (prefix)
    join pg_class c on c.relnamespace = to_regnamespace('pgmq') and c.relname = p.prefix || q.queue_name
    where not (
      has_table_privilege(o.role, c.oid, 'select') and has_table_privilege(o.role, c.oid, 'insert')
      and has_table_privilege(o.role, c.oid, 'update') and has_table_privilege(o.role, c.oid, 'delete')
    )
    union all
    select 'warning',
      format('no events are sent: realtime.send belongs to role %s and its schema to %s, and not both roles are trusted', p.proowner::regrole,
        n.nspowner::regrole),
      'if these roles may act with the rights of the owner: update pgflow.settings set trusted_roles = '
        || quote_literal(array[p.proowner::regrole::text, n.nspowner::regrole::text])
    from owner o
    cross join pgflow.settings s
    join pg_namespace n on n.nspname = 'realtime'
    join pg_proc p on p.pronamespace = n.oid and p.proname = 'send'
    where exists (
      select from pg_roles r
      where r.oid in (p.proowner, n.nspowner) and not r.rolsuper and r.oid <> o.role and r.rolname <> all (s.trusted_roles)
    )
  )
  select f.level, f.message, f.hint from found f
  union all
  select 'ok', format('role %s owns the functions and can use the queues', o.name), null from owner o where not exists (select from found);
$$;
