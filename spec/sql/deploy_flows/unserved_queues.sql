-- Queues that no live worker consumes are reported, never waited for.
begin;
\ir ../support/fixtures.sql
select plan(2);

create function spec.wide() returns jsonb language sql as $$
  select spec.flow('wide', array[spec.step('a'), spec.step('b'), spec.step('c')], p_routing => '{"b": "second", "c": "third"}');
$$;
select is((select message from spec.deploy_registry(array[spec.wide()])), 'no live worker consumes second, third', 'both are named');
select spec.deploy_registry(array[spec.wide()], 'third', 2);
select is((select message from spec.deploy_registry(array[spec.wide()])), 'no live worker consumes second', 'the served one no longer');

select * from finish();
rollback;
