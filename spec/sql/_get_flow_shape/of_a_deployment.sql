-- What a worker deployed compares equal to what it sent.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}', p_only_if => '{"a": {"x": [1]}}', p_when_unmet => 'skip-cascade'), spec.map('m', 'b', p_when_exhausted => 'skip'),
  spec.map('n', 'b', p_when_element_exhausted => 'null'));
select is(
  pgflow._compare_flow_shapes(
    jsonb_build_object('steps', jsonb_build_array(
      spec.step('a'), spec.step('b', '{a}', p_only_if => '{"a": {"x": [1]}}', p_when_unmet => 'skip-cascade'), spec.map('m', 'b', p_when_exhausted => 'skip'),
      spec.map('n', 'b', p_when_element_exhausted => 'null')
    )), pgflow._get_flow_shape('greet')),
  '{}'::text[], 'no difference'
);

select is(pgflow._get_flow_shape('greet') #>> '{steps,3,whenElementExhausted}', 'null', 'and holds what an exhausted element does');

select * from finish();
rollback;
