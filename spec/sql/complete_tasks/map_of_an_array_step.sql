-- A map over a step has one task for each element of that step's output.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('prices', spec.step('list'), spec.map('price', 'list'), spec.map('again', 'price'));
select spec.start('prices');
select is((spec.state('price')).initial_tasks, null, 'its length is not known before');
select spec.claim_all('prices');
select spec.complete('list', '["x", null]');
select is((select (s.status, s.initial_tasks, s.remaining_tasks)::text from spec.state('price') s), '(started,2,2)', 'two tasks');
select results_eq($$ select task_index, input from pgflow.step_tasks where step_slug = 'price' order by 1 $$, $$ values (0, '"x"'::jsonb), (1, 'null') $$, 'an element each');
select spec.claim_all('prices');
select spec.complete_batch('{1,1}', '{price,price}', '{1,0}', array['10', '20']::jsonb[]);
select results_eq($$ select task_index, input from pgflow.step_tasks where step_slug = 'again' order by 1 $$, $$ values (0, '20'::jsonb), (1, '10') $$, 'a map over a map reads its outputs by index');
select spec.claim_all('prices');
select spec.complete_batch('{1,1}', '{again,again}', '{0,1}', array['1', '2']::jsonb[]);
select is((spec.run_row()).output, '{"again": [1, 2]}'::jsonb, 'the run''s output');

select * from finish();
rollback;
