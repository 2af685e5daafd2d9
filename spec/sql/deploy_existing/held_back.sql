-- Code and runtime options of versions that exist; no new version, and no alias moves.
begin;
\ir ../support/fixtures.sql
select plan(9);

create function spec.deploy_existing(p_flows jsonb[]) returns setof text language sql as $$
  select concat_ws(' ', d.flow_slug, d.status, d.alias_status, d.message)
  from pgflow.deploy_existing(spec.worker(), 'spec', 'greet', jsonb_build_object('flows', to_jsonb(p_flows)), 2) d;
$$;
select spec.deploy('greet', spec.step('a'));
select results_eq(
  $$ select spec.deploy_existing(array[
    spec.flow('greet', array[spec.step('a')], p_alias => 'greet', p_retained => true),
    spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_routing => '{"a": "greet"}')]) $$,
  array['greet verified retained', 'greet_v2 held_back it is a new version, which a watched change does not bring'], 'a new version waits');
select is((select count(*) from pgflow.flows), 1::bigint, 'it is not stored');
select is((select active_flow_slug from pgflow.flow_aliases), 'greet', 'nor active');
select is((select array_agg(h.flow_slug) from pgflow.worker_handlers h), '{greet}', 'nor handled');
select is((select generation from pgflow.workers), 2::bigint, 'the new code serves');

select spec.deploy_registry(array[
  spec.flow('greet', array[spec.step('a')], p_alias => 'greet', p_retained => true),
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_routing => '{"a": "greet"}')]);
select results_eq(
  $$ select spec.deploy_existing(array[
    spec.flow('greet', array[spec.step('a')], p_alias => 'greet'),
    spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_routing => '{"a": "greet"}', p_retained => true)]) $$,
  array['greet verified retained', 'greet_v2 verified retained',
    'greet held_back alias greet stays at greet_v2: a watched change does not move it'], 'an alias waits');
select is((select active_flow_slug from pgflow.flow_aliases), 'greet_v2', 'it stays');

select is((select array_agg(s order by s) from spec.deploy_existing(array[spec.flow('greet_v3', array[spec.step('a')], p_alias => 'greet', p_routing => '{"a": "greet"}')]) s),
  array[
    'greet_v2 uncovered kept tasks of these steps can still arrive on queue greet, and this worker lacks their handlers: add the flow with luaflow.retain to its flows',
    'greet_v3 held_back it is a new version, which a watched change does not bring'],
  'the refusal of files that lack the active version shows what they have instead');
select is((select count(*) from pgflow.worker_handlers h where h.flow_slug = 'greet_v2'), 1::bigint, 'and changes nothing');

select * from finish();
rollback;
