-- A root map over [] completes at once with [], and what depends on it goes on.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('prices', spec.map('price'), spec.step('total', '{price}'));
select spec.start('prices', '[]');
select is(spec.states(), '{"price": "completed", "total": "started"}'::jsonb, 'the states');
select is((spec.state('price')).output, '[]'::jsonb, 'its output is []');
select is((spec.state('price')).remaining_tasks, 0, 'nothing remains');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');
select is(spec.tasks('total'), array['queued'], 'the dependent is queued');

select * from finish();
rollback;
