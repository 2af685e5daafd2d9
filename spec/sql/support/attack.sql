-- What a role does who wants the owner's rights: it puts into its pg_temp what a function might find there instead of what it means, and calls every function and reads every view that
-- it may. Whatever of it runs as somebody else is counted. Made from the catalog: a function that is new is attacked as well. Behind fixtures.sql.

create sequence spec.caught;
grant usage on schema spec to public;
grant usage on sequence spec.caught to public;
set local track_functions = 'all';

-- A text for an argument of that type and name (function.argument), as it fits to the runs, workers and queues below; p_n is a run's number. Null: there is none for the type.
create function spec.value_of(p_type text, p_name text, p_n int) returns text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select case
    when p_type like '\_%' then array[spec.value_of(substr(p_type, 2), rtrim(p_name, 's'), p_n)]::text
    when p_type = 'uuid' and p_name ~ '^start_flow' then spec.run(p_n + 100)::text
    when p_type = 'uuid' then (case when p_name ~ 'worker' then spec.worker(1) else spec.run(p_n) end)::text
    when p_type = 'jsonb' and p_name ~ 'registry' then jsonb_build_object('queue', 'fresh', 'function', 'spec', 'flows', jsonb_build_array(
      spec.flow('greet', array[spec.step('a', p_options => '{"maxAttempts": 1}'), spec.step('b', '{a}'), spec.map('m', 'a')], p_retained => true), spec.flow('fresh', array[spec.step('x')])
    ))::text
    when p_type = 'jsonb' and p_name ~ 'shape' then (spec.flow('fresh', array[spec.step('a'), spec.step('b', '{a}')]) -> 'shape')::text
    when p_type = 'jsonb' then '[{"name": "Ada"}]'
    when p_type = 'text' and p_name ~ 'step' then 'a'
    when p_type = 'text' and p_name ~ 'secret' then spec.secret('a', p_run => p_n)
    when p_type = 'text' and p_name ~ 'function' then 'spec'
    when p_type = 'text' and p_name ~ 'queue' and p_n = 2 then 'loose'
    when p_type = 'text' and p_name ~ 'key' then null
    when p_type = 'text' and p_name = 'ensure_flow_compiled.flow_slug' and p_n = 3 then 'fresh'
    when p_type = 'text' and p_name ~ 'flow|alias' and p_n = 2 then 'old'
    when p_type = 'text' then 'greet'
    when p_type = 'int8' and p_name ~ 'claim' then spec.claim_no('a', p_run => p_n)::text
    when p_type in ('int4', 'int8', 'float8', 'numeric') then case when p_name ~ 'index|delay' then '0' when p_name ~ 'max_runs|quantity' then '10' else '1' end
    when p_type = 'bool' then case when p_n = 2 then 'true' else 'false' end
    when p_type in ('interval', 'retention') then '0 s'
  end;
$$;

-- The calls of every function, or one, and the reads of every relation that a role has the right to.
create function spec.calls(p_role text) returns table (call text)
language sql stable set search_path = pg_catalog, pg_temp as $$
  select distinct format('select * from %s(%s)', p.oid::regproc, (
    select string_agg(format('%L::%s.%I', case when v.n < 9 then spec.value_of(t.typname, p.proname || '.' || (p.proargnames)[a.i], v.n) end, t.typnamespace::regnamespace, t.typname), ', ' order by a.i)
    from unnest(p.proargtypes::oid[]) with ordinality a (type, i) join pg_type t on t.oid = a.type
  ))
  from pg_proc p cross join unnest(array[1, 2, 3, 9]) v (n)
  where p.pronamespace = 'pgflow'::regnamespace and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype and has_function_privilege(p_role, p.oid, 'execute')
  union all
  select format('select * from %s', c.oid::regclass)
  from pg_class c
  where c.relnamespace = 'pgflow'::regnamespace and c.relkind in ('r', 'v', 'm', 'p') and has_table_privilege(p_role, c.oid, 'select');
$$;

-- What the attacker makes, each as the text of a statement. Domains over every type, views in the place of all relations, functions and operators in that of the most usual ones.
create function spec.traps() returns setof text
language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('create domain pg_temp.%I as pg_catalog.%1$I check (pg_temp.evil())', t.typname) from pg_type t
  where t.typnamespace = 'pg_catalog'::regnamespace and t.typtype in ('b', 'r') and t.typcategory not in ('A', 'P', 'Z') and t.typisdefined
  union all
  select distinct format('create view pg_temp.%I as select pg_temp.evil() as evil', c.relname) from pg_class c
  where c.relnamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace) and c.relkind in ('r', 'v')
    or c.relnamespace = 'pg_catalog'::regnamespace and c.relname ~ '^pg_(class|proc|namespace|roles|trigger|rewrite|inherits|type|stat_activity|settings|tables|attribute|index|locks)$'
  union all
  select format('create function pg_temp.%s returns %s language plpgsql as ''begin perform pg_temp.evil(); return null; end''', f.signature, f.result) from (
    values ('now()', 'pg_catalog.timestamptz'), ('clock_timestamp()', 'pg_catalog.timestamptz'), ('format(pg_catalog.text, pg_catalog.text)', 'pg_catalog.text'),
      ('to_jsonb(pg_catalog.text)', 'pg_catalog.jsonb'), ('jsonb_typeof(pg_catalog.jsonb)', 'pg_catalog.text'), ('gen_random_uuid()', 'pg_catalog.uuid'),
      ('lower(pg_catalog.text)', 'pg_catalog.text'), ('cardinality(pg_catalog._text)', 'pg_catalog.int4'), ('same(pg_catalog.text, pg_catalog.text)', 'pg_catalog.bool')
  ) f (signature, result)
  union all
  select format('create operator pg_temp.%s (leftarg = pg_catalog.text, rightarg = pg_catalog.text, function = pg_temp.same)', o) from unnest('{=,<>,~}'::text[]) o;
$$;

-- Functions are compiled anew: what a session compiled before the traps were there does not find them.
create function spec.recompile() returns void
language sql set search_path = pg_catalog, pg_temp as $$ update pg_proc set procost = procost where pronamespace in ('pgflow'::regnamespace, 'pgmq'::regnamespace); $$;

-- One call as a role, rolled back: its SQLSTATE, or 'fine'.
create function spec.try(p_role text, p_call text) returns text
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('set local role %I', p_role);
  set local search_path = pg_temp, pg_catalog;
  execute p_call;
  set constraints all immediate;
  raise exception using errcode = 'SPEC0', message = 'rolled back';
exception when others then
  return case when sqlstate = 'SPEC0' then 'fine' else sqlstate end;
end;
$$;

-- Everything that the role may do, p_calls for a part of it, with or without its traps: what came of each call, and how often code of its own ran in it as somebody else.
-- All is rolled back but the sequence.
create function spec.attack(p_role text, p_armed boolean, p_calls text default '%') returns table (call text, outcome text, caught bigint)
language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  v_call record;
  v_trap text;
  v_before bigint;
  v_traps text[] := array(select t from spec.traps() t);
  v_done jsonb := '[]';
begin
  begin
    if p_armed then
      execute format('set local role %I', p_role);
      execute format('create function pg_temp.evil() returns pg_catalog.bool language plpgsql as %L', format(
        'begin if current_user operator(pg_catalog.<>) %L then perform pg_catalog.nextval(''spec.caught''); end if; return true; end', p_role));
      foreach v_trap in array v_traps loop execute v_trap; end loop;
      reset role;
    end if;
    perform spec.recompile();
    for v_call in select c.call from spec.calls(p_role) c where c.call like p_calls order by 1 loop
      v_before := nextval('spec.caught');
      outcome := spec.try(p_role, v_call.call);
      v_done := v_done || jsonb_build_array(jsonb_build_array(v_call.call, outcome, nextval('spec.caught') - v_before - 1));
    end loop;
    raise exception using errcode = 'SPEC0';
  exception when sqlstate 'SPEC0' then
    null;
  end;
  return query select d.value ->> 0, d.value ->> 1, (d.value ->> 2)::bigint from jsonb_array_elements(v_done) d;
end;
$$;

-- Runs in the states that functions look for: 1 with a started task, 2 with queued ones, 3 failed; a worker that is dead and has a task; a version that is not active; a queue that
-- nobody made.
create function spec.make_scene() returns void
language plpgsql as $$
begin
  perform spec.deploy('old', spec.step('a'));
  update pgflow.flow_aliases set active_flow_slug = null where flow_alias = 'old';
  perform spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'), spec.step('b', '{a}'), spec.map('m', 'a'));
  perform spec.start('greet', '{"name": "Ada"}', n) from generate_series(1, 4) n;
  perform spec.claim('greet', 4);
  perform spec.fail('a', p_run => 3);
  perform spec.release('a', p_run => 2);
  perform spec.age_claim('a', '1 day', p_run => 4);
  perform pgmq.create('loose');
end;
$$;
