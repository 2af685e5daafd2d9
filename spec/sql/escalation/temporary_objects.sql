-- What a role has put into its pg_temp neither runs with another's rights nor changes what comes of a call: every role, every function that it may call, every relation that it may read.
-- The last ones show that the attack finds a single function whose setting is another, private and new ones too.
begin;
\ir ../support/fixtures.sql
\ir ../support/attack.sql
select plan(10);

select spec.make_scene();
create temp table attempts on commit drop as
  select r.rolname, a.call, a.outcome, a.caught, p.outcome as peaceful
  from pg_roles r
  cross join lateral spec.attack(r.rolname, true) a
  join lateral spec.attack(r.rolname, false) p on p.call = a.call
  where r.rolname like 'pgflow\_%';

select is_empty('select rolname, call, caught from attempts where caught > 0', 'nothing of it runs as somebody else');
select is_empty('select rolname, call, outcome, peaceful from attempts where outcome is distinct from peaceful', 'and every call comes to what it comes to without');
select is_empty($$ select r.rolname, p.oid::regprocedure from pg_roles r, pg_proc p where r.rolname like 'pgflow\_%' and p.pronamespace = 'pgflow'::regnamespace
  and has_function_privilege(r.oid, p.oid, 'execute') and not exists (select from attempts a where a.rolname = r.rolname and a.call like '%pgflow.' || p.proname || '(%') $$, 'no function is left out');
select is_empty($$ select p.proname from pg_proc p where p.pronamespace = 'pgflow'::regnamespace and exists (select from pg_roles r where r.rolname like 'pgflow\_%' and has_function_privilege(r.oid, p.oid, 'execute'))
  and not exists (select from attempts a where a.call like '%pgflow.' || p.proname || '(%' and a.outcome in ('fine', 'LF002', '55000')) $$, 'each is run to its end, or to a refusal of its own, at least once');
select cmp_ok((select count(*) from pg_stat_xact_user_functions f where f.schemaname = 'pgflow' and f.funcname like '\_%'), '>=', 70::bigint, 'private functions are reached through them');
select cmp_ok((select count(*) from spec.traps()), '>=', 100::bigint, 'by many traps');
select diag(format('%s attempts by %s roles through %s functions, %s private ones behind them: all refused', count(*), count(distinct rolname), count(distinct substring(call from 'pgflow\.\w+\(')),
  (select count(*) from pg_stat_xact_user_functions f where f.schemaname = 'pgflow' and f.funcname like '\_%'))) from attempts;

-- Each with one function that is not as it should be.
create function spec.caught_with(p_change text, p_role text, p_function text) returns bigint
language plpgsql as $$
declare
  v_caught bigint;
begin
  begin
    execute p_change;
    select sum(a.caught) into v_caught from spec.attack(p_role, true, '%pgflow.' || p_function || '(%') a;
    raise exception using errcode = 'SPEC0';
  exception when sqlstate 'SPEC0' then
    return v_caught;
  end;
end;
$$;
select cmp_ok(spec.caught_with('alter function pgflow.failing_task(uuid, text) set search_path = ''''', 'pgflow_reader', 'failing_task'), '>', 0::bigint, 'an empty path is found');
select cmp_ok(spec.caught_with('alter function pgflow._new_tasks(pgflow.step_key[]) set search_path = ''''', 'pgflow_starter', 'start_flow'), '>', 0::bigint, 'in a private function too');
select cmp_ok(spec.caught_with('alter function pgflow.failing_task(uuid, text) reset search_path', 'pgflow_starter', 'failing_task'), '>', 0::bigint, 'a missing one is found');
select cmp_ok(spec.caught_with('create function pgflow.brand_new(p_name text) returns text language plpgsql security definer set search_path = '''' as ''begin return 1::text; end'';
  grant execute on function pgflow.brand_new to pgflow_handler', 'pgflow_handler', 'brand_new'), '>', 0::bigint, 'and a new function');

select * from finish();
rollback;
