-- An empty map and a skip that are found together both count down what waits for them.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.map('price'), spec.step('a', p_only_if => '{"x": 1}'), spec.step('both', '{price,a}'), spec.map('again', 'price'));
select spec.start('prices', '[]');
select is(spec.states(), '{"price": "completed", "a": "skipped", "both": "started", "again": "completed"}'::jsonb, 'the states');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');

select * from finish();
rollback;
