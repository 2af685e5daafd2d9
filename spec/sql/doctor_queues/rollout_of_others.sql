-- An open rollout explains the dead queues of its own functions, and no others; forgotten, it is a problem itself.
begin;
\ir ../support/fixtures.sql
select plan(5);

create function spec.found() returns setof text language sql as $$
  select concat_ws(' | ', d.level, d.message, d.hint) from pgflow.doctor_queues() d order by d.message;
$$;
select spec.deploy('greet', spec.step('a'));
select spec.deploy_registry(array[spec.flow('theirs', array[spec.step('b')])], 'theirs', 2, p_function => 'team');
select pgflow.mark_worker_stopped(spec.worker(n)) from generate_series(1, 2) n;
select pgflow.begin_rollout('{spec}');
select results_eq('select * from spec.found()', $$ values
  ('warning | queue greet has no live worker; active on it: greet | a rollout of spec is open: luaflow rollout status'),
  ('problem | queue theirs has no live worker; active on it: theirs | start one: luaflow worker --queue theirs PATH')
$$, 'of one function');

select is((select d.level from pgflow.doctor_functions() d), 'warning', 'a rollout that has just begun');
update pgflow.rollouts r set begun_at = now() - interval '61 minutes';
select is((select d.level from pgflow.doctor_functions() d), 'problem', 'one of an hour ago');
select matches((select d.message from pgflow.doctor_functions() d), '^a rollout of spec has been open since 20', 'what it says');
select pgflow.finish_rollout(true);
select is((select count(*) from spec.found() f where f like 'problem%'), 2::bigint, 'with the rollout finished');

select * from finish();
rollback;
