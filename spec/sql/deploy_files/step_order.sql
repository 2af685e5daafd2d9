-- Steps in another order, as a loop over pairs() gives them, are no reason to delete a flow's runs in a development
-- database: the stored order follows. Elsewhere they are refused.
begin;
\ir ../support/fixtures.sql
select plan(9);

create function spec.follow(p_flow jsonb) returns setof text language sql as $$
  select concat_ws(' ', d.flow_slug, d.status, nullif(d.differences, '{}')::text) from pgflow.deploy_files(spec.worker(), 'spec', 'q',
    jsonb_build_object('flows', jsonb_build_array(p_flow)), 1, jsonb_build_array(jsonb_build_object('flows', jsonb_build_array(p_flow))), '{}', 1, 2) d;
$$;
create function spec.steps(variadic p_steps text[]) returns jsonb language sql as $$
  select spec.flow('one', array(select spec.step(s) from unnest(p_steps) s), p_routing => '{"a": "q", "b": "q", "c": "q"}');
$$;
create function spec.stored() returns text language sql as $$
  select string_agg(s.step_slug, ' ' order by s.step_index) from pgflow.steps s where s.flow_slug = 'one';
$$;
select from spec.deploy_registry(array[spec.steps('a', 'b', 'c')], 'q');
select is((select status from spec.deploy_registry(array[spec.steps('b', 'c', 'a')], 'q')), 'shape_mismatch', 'refused where data is kept');
select is(spec.stored(), 'a b c', 'as it was');

select pgflow.mark_development();
select spec.start('one');
select is_empty($$ select * from pgflow.preview_files(jsonb_build_array(jsonb_build_object('flows', jsonb_build_array(spec.steps('b', 'c', 'a'))))) $$,
  'nothing is to be deleted');
select set_eq($$ select spec.follow(spec.steps('b', 'c', 'a')) $$, array['one verified'], 'the same flow');
select is(spec.stored(), 'b c a', 'the order follows');
select is((spec.run_row()).status, 'started', 'its run goes on');
select set_eq($$ select spec.claim('q') $$, array['a:0', 'b:0', 'c:0'], 'with all of its tasks');
select is_empty('select * from pgflow.check_invariants()', 'consistent');
select set_eq($$ select spec.follow(spec.flow('one', array[spec.step('b'), spec.step('c'), spec.map('a')], p_routing => '{"a": "q", "b": "q", "c": "q"}')) $$,
  array['one recreated {"Step at index 2: kind: in the modules ''map'', in the database ''single''"}'], 'another shape is recreated');

select * from finish();
rollback;
