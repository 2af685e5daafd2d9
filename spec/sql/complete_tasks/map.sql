-- A map's output is the array of its tasks' outputs by index, whatever the order of completion, nulls included.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.map('price'), spec.step('total', '{price}'));
select spec.start('prices', '[1, 2, 3, 4]');
select spec.claim_all('prices');
select spec.complete('price', '"three"', 3);
select spec.complete('price', 'null', 1);
select is((select (s.status, s.remaining_tasks, s.output)::text from spec.state('price') s), '(started,2,)', 'half-way');
select is(spec.tasks('total'), null, 'the dependent waits');
select spec.complete('price', '[0]', 0);
select spec.complete('price', '{"two": 2}', 2);
select is((spec.state('price')).output, '[[0], null, {"two": 2}, "three"]'::jsonb, 'the array');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'prices', 10) where kind = 'task'), '{"price": [[0], null, {"two": 2}, "three"]}'::jsonb, 'it is the dependent''s input');

select * from finish();
rollback;
