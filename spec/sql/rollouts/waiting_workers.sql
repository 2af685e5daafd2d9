-- An open rollout counts the workers that wait behind it, and shows those whose deployment would be refused.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.ask(p_worker int, p_type text) returns void language sql as $$
  select from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_type => p_type)])], p_worker => p_worker);
$$;
select spec.deploy('greet', spec.step('a'));
select pgflow.begin_rollout('{spec}', '{fresh}');
select pgflow.mark_worker_stopped(spec.worker());
select results_eq('select function_name, waiting_workers, refusals from pgflow.rollout_status()', $$ values ('fresh', 0, '[]'::jsonb), ('spec', 0, '[]') $$, 'none yet');
select spec.ask(2, 'single');
select spec.ask(3, 'map');
select results_eq($$ select function_name, queue_names, live_workers, waiting_workers, jsonb_array_length(refusals) from pgflow.rollout_status() $$,
  $$ values ('fresh', '{}'::text[], 0, 0, 0), ('spec', '{greet}', 0, 2, 1) $$, 'two wait, one in vain');
select matches((select refusals #>> '{0,worker_id}' || ' ' || (refusals #>> '{0,message}') from pgflow.rollout_status() where function_name = 'spec'),
  spec.worker(3) || ' greet: shape_mismatch: .*''map''', 'which, and why');
select results_eq($$ select function_name, enabled from pgflow.finish_rollout() $$, $$ values ('fresh', true), ('spec', true) $$, 'it keeps nothing from finishing');

select * from finish();
rollback;
