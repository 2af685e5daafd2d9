-- The same step again is returned unchanged; with other dependencies it is refused.
begin;
\ir ../support/fixtures.sql
select plan(3);

select pgflow.create_flow('greet');
select pgflow.add_step('greet', 'a');
select pgflow.add_step('greet', 'b');
select pgflow.add_step('greet', 'c', array['a'], 4);
select is((select (s.step_index, s.opt_max_attempts)::text from pgflow.add_step('greet', 'c', array['a'], 9) s), '(2,4)', 'the stored row comes back');
select throws_ok($$ select pgflow.add_step('greet', 'c', array['a', 'b']) $$, '22023', 'step c of flow greet exists with other dependencies: [a], not [a, b]', 'other dependencies are refused');
select is((select count(*) from pgflow.deps), 1::bigint, 'no edge was added');

select * from finish();
rollback;
