-- A task put back 3 times by its timeout, or 10 times by deaths, fails for good the next time, whatever attempts remain, and its run ends.
begin;
\ir ../support/fixtures.sql
select plan(12);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 50}'), spec.step('b', p_options => '{"maxAttempts": 50}', p_when_exhausted => 'skip'));
select spec.start('greet');
select spec.claim_all('greet');
update pgflow.step_tasks set requeued_count = 3 where step_slug = 'a';
update pgflow.step_tasks set requeued_dead_count = 10 where step_slug = 'b';
select spec.age_claim('b', interval '91 seconds');
select results_eq($$ select step_slug, reason, outcome from pgflow.recover_tasks(spec.worker()) $$, $$ values ('b', 'timeout', 'failed') $$, 'ten deaths');
select is((spec.state('b')).status, 'skipped', 'when_exhausted applies');
select is((spec.task('b')).error_message, 'permanently stalled: deaths of its worker: 10 (limit 10), timeouts that it outlived: 1 (limit 3)', 'its error');
select is((spec.run_row()).status, 'started', 'the run goes on');
select spec.age_claim('a', interval '91 seconds');
select results_eq($$ select step_slug, reason, outcome from pgflow.recover_tasks(spec.worker()) $$, $$ values ('a', 'timeout', 'failed') $$, 'three timeouts');
select is((select (t.status, t.permanently_stalled_at is not null)::text from spec.task('a') t), '(failed,t)', 'the task');
select is((spec.run_row()).status, 'failed', 'the run has ended');
select is(spec.messages('greet'), 0::bigint, 'no message is left');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');


select spec.deploy('prices', spec.map('price', p_options => '{"maxAttempts": 50}', p_when_element_exhausted => 'null'));
select spec.start('prices', '[1, 2]', 2);
select spec.claim_all('prices');
select spec.complete('price', '10', 0, 2);
update pgflow.step_tasks set requeued_count = 3 where step_slug = 'price' and task_index = 1;
select spec.age_claim('price', interval '91 seconds', 1, 2);
select results_eq($$ select step_slug, task_index, outcome from pgflow.recover_tasks(spec.worker()) $$, $$ values ('price', 1, 'failed') $$,
  'an element whose failure gives null');
select is((select (r.status, s.output, t.error_message, t.permanently_stalled_at is not null)::text from spec.run_row(2) r, spec.state('price', 2) s, spec.task('price', 1, 2) t),
  '(completed,"[10, null]","permanently stalled: timeouts that it outlived: 4 (limit 3)",t)', 'its step and run complete, its error is kept');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
