-- Arrays of one call that differ in length, or a null among equal ones, record nothing.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('greet');
create temp table before as select jsonb_agg(t order by t.run_id) as tasks from pgflow.step_tasks t;
select throws_ok($$ select pgflow.complete_tasks(array[spec.run()], '{a}', '{0}', '{1}', '{}') $$, '2202E', 'the arrays differ in length: 1, 1, 1, 1, 0', 'no output');
select throws_ok($$ select pgflow.complete_tasks(array[spec.run()], '{a}', '{0}', '{1}', array['1', '2']::jsonb[]) $$, '2202E', null, 'an output too many');
select throws_ok($$ select pgflow.fail_tasks(array[spec.run()], '{a}', '{0}', '{1}', '{x}', null, '{f}', '{f}') $$, '2202E', null, 'null instead of delays');
select throws_ok($$ select pgflow.release_tasks(array[spec.run(), spec.run(2)], '{a}', '{0}', '{1}') $$, '2202E', null, 'a run too many');
select throws_ok($$ select pgflow.reconcile_claims(spec.worker(), array[spec.run(), spec.run(2)], '{a,a}', '{0,0}', '{1}') $$, '2202E', null, 'a claim too few');
select throws_ok($$ select pgflow.worker_heartbeat(spec.worker(), array[spec.run()], '{a}', '{}', '{1}') $$, '2202E', null, 'no index');
select is((select array_agg(a.answer order by a.ordinal) from pgflow.complete_tasks(array[spec.run(), null], '{a,a}', '{null,0}', '{1,1}', array['1', '1']::jsonb[]) a), '{stale,stale}', 'nulls name no task');
select is((select jsonb_agg(t order by t.run_id) from pgflow.step_tasks t), (select tasks from before), 'nothing changed');
select is((select count(*) from pgflow.reconcile_claims(spec.worker(), array[null, spec.run()]::uuid[], '{null,a}', '{null,0}', array[null, spec.claim_no('a')])), 1::bigint, 'a null among the known tasks hides no other');

select * from finish();
rollback;
