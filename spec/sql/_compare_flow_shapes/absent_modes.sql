-- A mode that one side does not have is no difference.
begin;
\ir ../support/fixtures.sql
select plan(1);

select is(
  pgflow._compare_flow_shapes(
    jsonb_build_object('steps', jsonb_build_array(spec.step('a') - 'whenUnmet' - 'whenExhausted')), jsonb_build_object('steps', jsonb_build_array(spec.step('a', p_when_unmet => 'fail')))),
  '{}'::text[], 'absent whenUnmet and whenExhausted'
);

select * from finish();
rollback;
