-- Several steps of one run in one call, in any order of the arrays; a join starts once.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b'), spec.step('join', '{a,b}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.complete_batch('{1,1}', '{b,a}', '{0,0}', array['2', '1']::jsonb[]), '{done,done}', 'the answers');
select is((select (s.status, s.remaining_deps)::text from spec.state('join') s), '(started,0)', 'the join is started');
select is(spec.messages('greet'), 1::bigint, 'with one message');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'task'), '{"a": 1, "b": 2}'::jsonb, 'its input has both');

select * from finish();
rollback;
