-- Nothing is reported in any state that the functions leave behind.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('prices', spec.map('a'), spec.step('b', '{a}'), spec.step('c', p_when_exhausted => 'skip'), spec.step('d', '{c}'));
select spec.start('prices', format('[%s]', repeat('1,', n) || '1')::jsonb, n) from generate_series(1, 9) n;
select spec.start('prices', '[]', 10);
select spec.claim_all('prices');
select spec.complete('a', '1', 0, 1);
select spec.fail('a', p_index => 0, p_run => 2, p_permanent => true);
select spec.fail('c', p_run => 3, p_permanent => true);
select spec.release('a', 1, 4);
select spec.complete('c', '1', p_run => 5);
select spec.fail('a', p_run => 6, p_delay => 5, p_free => true);
select from pgflow.cancel_run(spec.run(7));
update pgflow.step_tasks set requeued_count = 3 where run_id = spec.run(8) and task_index = 0;
select spec.age_claim('a', interval '91 seconds', i, n) from generate_series(0, 1) i, unnest('{8,9}'::int[]) n;
select from pgflow.recover_tasks(spec.worker());
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'none');

select * from finish();
rollback;
