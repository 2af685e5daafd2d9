-- A root step's pattern is tested against the run's input.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_only_if => '{"vip": true}'));
select is((select r.status from pgflow.start_flow('greet', '{"vip": true, "n": 1}', spec.run(1)) r), 'started', 'contained: it starts');
select is((select (r.status, r.output)::text from pgflow.start_flow('greet', '{"vip": false}', spec.run(2)) r), '(completed,)', 'not contained: skipped, and the run is completed');
select is((select (s.status, s.skip_reason, s.error_message)::text from spec.state('a', 2) s), '(skipped,condition_unmet,)', 'the step');
select is((select r.status from pgflow.start_flow('greet', '[1]', spec.run(3)) r), 'completed', 'an array does not contain it');
select is(spec.messages('greet'), 1::bigint, 'only one message was sent');

select * from finish();
rollback;
