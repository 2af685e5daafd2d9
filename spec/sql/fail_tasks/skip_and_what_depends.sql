-- Behind a skipped step: a map over it completes with [], a step reads what is left, a join waits for its others.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('prices', spec.map('a', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'), spec.map('b', 'a'), spec.step('c', '{b}'), spec.step('slow'), spec.step('join', '{a,slow}'));
select spec.start('prices', '[1, 2, 3]');
select spec.claim_all('prices');
select spec.fail('a');
select is(spec.states(), '{"a": "skipped", "b": "completed", "c": "started", "slow": "started", "join": "created"}'::jsonb, 'the states');
select is((spec.state('b')).output, '[]'::jsonb, 'the map''s output');
select is((spec.run_row()).remaining_steps, 3, 'three steps are left');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'prices', 10) where kind = 'task'), '{"b": []}'::jsonb, 'c reads it');
select spec.complete('slow', '5');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'prices', 10) where kind = 'task'), '{"slow": 5}'::jsonb, 'join reads what completed');

select * from finish();
rollback;
