-- A failed attempt is queued again after its backoff, with its message stored; the step goes on.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a'), spec.step('b', p_options => '{"baseDelay": 1}')], '{"baseDelay": 5}')]);
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', 'flows/greet.lua:3: boom'), 'done', 'the answer');
select is((select (t.status, t.attempts_count, t.error_message, t.started_at)::text from spec.task('a') t), '(queued,1,"flows/greet.lua:3: boom",)', 'the task');
select ok(spec.about(spec.hidden_s_of('a'), 10), 'the first retry waits base_delay * 2');
select is((select (s.status, s.error_message)::text from spec.state('a') s), '(started,)', 'the step');
select spec.fail('b');
select ok(spec.about(spec.hidden_s_of('b'), 2), 'a step''s own base delay wins');
select spec.make_visible('greet');
select spec.claim_all('greet');
select spec.fail('a');
select ok(spec.about(spec.hidden_s_of('a'), 20), 'the second retry waits base_delay * 4');
select is(spec.messages('greet'), 2::bigint, 'the messages stay in the queue');
select is((spec.run_row()).status, 'started', 'the run goes on');

select * from finish();
rollback;
