-- Inputs are text; that of a root step that is no map is the run's. A root step reads the run's input, a map its element, any other step the table of its completed dependencies.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.map('each'), spec.step('root'), spec.step('both', '{root,each}'), spec.map('list', 'each'));
select spec.start('greet', '[[1], null]');
select results_eq(
  $$ select step_slug, task_index, input::jsonb, is_root from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) where kind = 'task' order by step_slug, task_index $$,
  $$ values ('each', 0, '[1]'::jsonb, false), ('each', 1, 'null', false), ('root', 0, '[[1], null]', true) $$, 'roots'
);
select spec.complete_batch('{1,1,1}', '{each,each,root}', '{0,1,0}', array['{"x": 1}', '2', 'null']::jsonb[]);
select results_eq(
  $$ select step_slug, task_index, input::jsonb, is_root from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) where kind = 'task' order by step_slug, task_index $$,
  $$ values ('both', 0, '{"root": null, "each": [{"x": 1}, 2]}'::jsonb, false), ('list', 0, '{"x": 1}', false), ('list', 1, '2', false) $$, 'dependents'
);
select is(pgflow.run_input(spec.run()), '[[1], null]'::jsonb, 'run_input gives the run''s input to any of them');

select * from finish();
rollback;
