-- Several tasks of several steps and runs in one call; those that end their run take the rest of it along.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.map('a'), spec.step('b'));
select spec.start('prices', '[1, 2]', n) from generate_series(1, 3) n;
select spec.claim_all('prices');
select spec.age_claim('a', interval '91 seconds', i, n) from generate_series(1, 3) n, generate_series(0, 1) i;
select spec.age_claim('b', interval '91 seconds', 0, n) from generate_series(1, 3) n;
update pgflow.step_tasks set requeued_count = 3 where run_id = spec.run(2) and step_slug = 'a' and task_index = 1;
select is((select count(*) from pgflow.recover_tasks(spec.worker()) where outcome = 'requeued'), 8::bigint, 'eight are put back');
select is((select array_agg(r.status order by r.run_id) from pgflow.runs r), '{started,failed,started}', 'one run has failed');
select is((select array_agg(distinct t.status order by t.status) from pgflow.step_tasks t where t.run_id = spec.run(2)), '{cancelled,failed}', 'its other tasks are cancelled');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
