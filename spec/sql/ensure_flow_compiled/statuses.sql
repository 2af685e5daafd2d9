-- compiled, then verified; a shape that differs is a mismatch and changes nothing.
begin;
\ir ../support/fixtures.sql
select plan(12);

create temp table shapes as select
  spec.flow('Greet', array[spec.step('a'), spec.step('b', '{a}', '{"startDelay": 7}', '{"a": 1}', '{"a": 2}', 'fail', 'skip'), spec.map('m', 'a')], '{"maxAttempts": 4, "timeout": 9}') -> 'shape' as one,
  spec.flow('Greet', array[spec.step('a'), spec.step('c', '{a}')]) -> 'shape' as two;
select is(pgflow.ensure_flow_compiled('Greet', one), '{"status": "compiled", "differences": []}', 'stored') from shapes;
select is((pgflow._get_flow_shape('Greet') -> 'steps'), (select jsonb_agg(s - 'options' order by n) from shapes, jsonb_array_elements(one -> 'steps') with ordinality as s (s, n)), 'as it was given');
select is((select (opt_max_attempts, opt_base_delay, opt_timeout, is_deployed)::text from pgflow.flows), '(4,5,9,f)', 'its options');
select is((select opt_start_delay from pgflow.steps where step_slug = 'b'), 7, 'those of a step');
select is(pgflow._get_flow_routing('Greet'), '{"a": "greet", "b": "greet", "m": "greet"}', 'the default routing');
select lives_ok($$ select spec.start('Greet', '1') $$, 'it can be started');
create temp table before as select spec.definitions() as d, spec.runtime() as r;
select is(pgflow.ensure_flow_compiled('Greet', one), '{"status": "verified", "differences": []}', 'again') from shapes;
select is(pgflow.ensure_flow_compiled('Greet', jsonb_set(one, '{options,timeout}', '1')) ->> 'status', 'verified', 'options are not compared') from shapes;
select is(pgflow.ensure_flow_compiled('Greet', two) ->> 'status', 'mismatch', 'another shape') from shapes;
select matches(pgflow.ensure_flow_compiled('Greet', two) ->> 'differences', 'Step count differs: 2 vs 3.*slug differs ''c'' vs ''b''', 'the differences') from shapes;
select ok(spec.definitions() = d and spec.runtime() = r, 'nothing changed') from before;
select throws_ok($$ select pgflow.ensure_flow_compiled('not a slug', '{"steps": []}') $$, '23514', null, 'an invalid slug');

select * from finish();
rollback;
