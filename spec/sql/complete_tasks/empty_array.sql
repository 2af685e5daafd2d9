-- A map over [] completes with [] and no task, and the run goes on.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.step('list'), spec.map('price', 'list'), spec.step('total', '{price}'));
select spec.start('prices');
select spec.claim_all('prices');
select spec.complete('list', '[]');
select is((select (s.status, s.output, s.initial_tasks, s.remaining_tasks)::text from spec.state('price') s), '(completed,[],0,0)', 'the map');
select is(spec.tasks('price'), null, 'it has no task');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'prices', 10) where kind = 'task'), '{"price": []}'::jsonb, 'its dependent reads []');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');

select * from finish();
rollback;
