-- Operators have a role of their own, and whose code may run with the owner's rights is written down.

alter table pgflow.settings
  -- Roles whose code the functions of the schema may run, that is with their owner's rights, besides superusers and that owner: the owners of
  -- realtime.send, of queues that are adopted, and of the triggers on them.
  add column trusted_roles text[] not null default '{}';

do $$
begin
  create role pgflow_operator nologin;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pgflow_operator was not created: %', sqlerrm
      using hint = 'have an administrator run: create role pgflow_operator nologin; then migrate again';
end;
$$;

-- Functions that older programs left behind look types up in pg_catalog first, too.
do $$
declare
  v_function regprocedure;
begin
  for v_function in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'pgflow'::regnamespace and p.prokind in ('f', 'p')
      and not coalesce(p.proconfig, '{}') @> array['search_path=pg_catalog, pg_temp']
  loop
    execute format('alter routine %s set search_path = pg_catalog, pg_temp', v_function);
  end loop;
end;
$$;
