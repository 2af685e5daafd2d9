-- Every way from one state of a step or task to the next, and no other.
begin;
\ir ../support/fixtures.sql
select plan(13);

select spec.deploy('strict', spec.step('a', p_only_if => '{"x": 1}', p_when_unmet => 'fail'), spec.step('b', '{a}'));
select spec.deploy('wide', spec.step('a'), spec.map('m', 'a', p_when_exhausted => 'skip'), spec.step('never', p_only_if => '{"x": 1}'), spec.map('none', 'm'), spec.step('last', '{none}'));
select spec.start('wide');
select spec.start('strict', p_run => 2);
select is(spec.states(), '{"a": "started", "m": "created", "none": "created", "last": "created", "never": "skipped"}', 'created -> started, created -> skipped');
select is(spec.states(2), '{"a": "failed", "b": "created"}', 'created -> failed');
select is(spec.tasks('a'), '{queued}', 'a task is born queued');
select spec.claim_all('wide');
select is(spec.tasks('a'), '{started}', 'queued -> started');
select spec.fail('a');
select is(spec.tasks('a'), '{queued}', 'started -> queued by a failure');
select spec.make_visible('wide');
select spec.claim_all('wide');
select spec.release('a');
select is(spec.tasks('a'), '{queued}', 'started -> queued by a release');
select spec.claim_all('wide');
select spec.age_claim('a', interval '91 seconds');
select from pgflow.recover_tasks(spec.worker());
select is(spec.tasks('a'), '{queued}', 'started -> queued by recovery');
select spec.claim_all('wide');
select spec.complete('a', '[1, 2, 3]');
select is(spec.tasks('a')::text || (spec.state('a')).status, '{completed}completed', 'started -> completed');
select spec.claim('wide', 2);
select spec.complete('m', '1', 0);
select spec.fail('m', p_index => 1, p_permanent => true);
select is(spec.tasks('m'), '{completed,failed,skipped}', 'started -> failed, queued -> skipped');
select is((spec.state('m')).status || ' ' || (spec.state('none')).status || ' ' || (spec.state('last')).status, 'skipped completed started', 'started -> skipped, created -> completed');
select spec.claim_all('wide');
select from pgflow.cancel_run(spec.run());
select is(spec.tasks('last') || array[(spec.state('last')).status], '{cancelled,started}', 'started -> cancelled; its step keeps its state');
select is((spec.run_row()).status, 'cancelled', 'started -> cancelled');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
