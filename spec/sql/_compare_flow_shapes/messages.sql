-- Each kind of difference has its own words; options make none.
begin;
\ir ../support/fixtures.sql
select plan(14);

create function spec.compared(p_first jsonb[], p_second jsonb[]) returns text[] language sql as $$
  select pgflow._compare_flow_shapes(jsonb_build_object('steps', to_jsonb(p_first)), jsonb_build_object('steps', to_jsonb(p_second)));
$$;
select is(spec.compared('{}', '{}'), '{}'::text[], 'two empty shapes are equal');
select is(spec.compared(array[spec.step('a')], array[spec.step('a')]), '{}'::text[], 'equal steps');
select is(spec.compared(array[spec.step('a', p_options => '{"timeout": 1}')], array[spec.step('a')]), '{}'::text[], 'options are no part of it');
select is(spec.compared(array[spec.step('a', '{x,y}')], array[spec.step('a', '{y,x}')]), '{}'::text[], 'nor is the order of dependencies');
select is(spec.compared(array[spec.step('a')], array[spec.step('a'), spec.step('b')]),
  array['Step count differs: 1 vs 2', 'Step at index 1: missing in first shape (second has ''b'')'], 'missing in the first');
select is(spec.compared(array[spec.step('a'), spec.step('b')], array[spec.step('a')]),
  array['Step count differs: 2 vs 1', 'Step at index 1: missing in second shape (first has ''b'')'], 'missing in the second');
select is(spec.compared(array[spec.step('a')], array[spec.step('b')]), array['Step at index 0: slug differs ''a'' vs ''b'''], 'slug');
select is(spec.compared(array[spec.step('a')], array[spec.map('a')]), array['Step at index 0: type differs ''single'' vs ''map'''], 'type');
select is(spec.compared(array[spec.step('a', '{y,x}')], array[spec.step('a', '{x}')]),
  array['Step at index 0: dependencies differ [x, y] vs [x]'], 'dependencies');
select is(spec.compared(array[spec.step('a', p_when_unmet => 'fail')], array[spec.step('a')]),
  array['Step at index 0: whenUnmet differs ''fail'' vs ''skip'''], 'whenUnmet');
select is(spec.compared(array[spec.step('a', p_when_exhausted => 'skip-cascade')], array[spec.step('a')]),
  array['Step at index 0: whenExhausted differs ''skip-cascade'' vs ''fail'''], 'whenExhausted');
select matches((spec.compared(array[spec.step('a', p_only_if => '{"x": 1}')], array[spec.step('a')]))[1],
  '^Step at index 0: requiredInputPattern differs .*"x": 1.* vs ', 'requiredInputPattern');
select matches((spec.compared(array[spec.step('a', p_unless => '{"x": 1}')], array[spec.step('a', p_unless => '{"x": 2}')]))[1],
  '^Step at index 0: forbiddenInputPattern differs .*"x": 1.* vs .*"x": 2', 'forbiddenInputPattern');
select is(cardinality(spec.compared(array[spec.step('a'), spec.step('b')], array[spec.map('a'), spec.step('c', p_when_unmet => 'fail')])), 3, 'all are listed');

select * from finish();
rollback;
