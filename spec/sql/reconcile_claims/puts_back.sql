-- What is started under the worker and not known to it is put back at once, without cost; what it knows, and others' tasks, stay.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('prices', spec.map('a'));
select spec.deploy_registry(array[spec.flow('prices', array[spec.map('a')])], p_worker => 2);
select spec.start('prices', '[0, 1, 2, 3]');
select spec.claim('prices', 3);
select spec.claim('prices', 1, 2);
select results_eq(
  $$ select run_id, step_slug, task_index from pgflow.reconcile_claims(spec.worker(), array[spec.run()], '{a}', '{1}', array[spec.claim_no('a', 1)]) order by task_index $$,
  $$ values (spec.run(), 'a', 0), (spec.run(), 'a', 2) $$, 'the two that it does not know'
);
select is(spec.tasks('a'), '{queued,started,queued,started}', 'the statuses');
select is((select (t.attempts_count, spec.nth_claim(t.claim_no), t.error_message, t.requeued_count, t.requeued_dead_count)::text from spec.task('a', 0) t), '(0,1,,0,0)', 'it cost nothing');
select ok(spec.hidden_s_of('a', 2) <= 0, 'its message is visible');
select is_empty($$ select * from pgflow.reconcile_claims(spec.worker(), array[spec.run()], '{a}', '{1}', array[spec.claim_no('a', 1)]) $$, 'a repeated call finds none');
select is((select count(*) from spec.claim('prices', p_worker => 2)), 2::bigint, 'claimable at once');

select * from finish();
rollback;
