-- The versions of an alias, and what still holds each.
begin;
\ir ../support/fixtures.sql
select plan(12);

select columns_are('pgflow', 'flow_versions', '{flow_alias,flow_slug,active,deployed_at,activated_at,started_runs,tasks_left,droppable,held_by,routes,route_list,last_option_change,option_changed_at,option_changed_by}'::name[]);
create function spec.status(p_slug text) returns text language sql as $$
  select (flow_alias, active, started_runs, tasks_left, droppable, held_by)::text from pgflow.flow_versions where flow_slug = p_slug;
$$;
select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a'), spec.map('m')], p_alias => 'greet', p_routing => '{"m": "maps"}')], 'greet_v1');
select spec.start('greet', '[1, 2, 3]', n) from generate_series(1, 2) n;
select is(spec.status('greet_v1'), '(greet,t,2,8,f,"active version of alias greet")', 'the active version');
select is((select routes from pgflow.flow_versions), '{"a": "greet_v1", "m": "maps"}', 'its routes');
select is((select route_list from pgflow.flow_versions), 'greet_v1: a; maps: m', 'and as people read them');
select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a'), spec.map('m')], p_alias => 'greet', p_routing => '{"m": "maps"}', p_retained => true), spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet')], 'greet_v1');
select is(spec.status('greet_v1'), '(greet,f,2,8,f,"2 started runs")', 'an old version with runs');
select is(spec.status('greet_v2'), '(greet,t,0,0,f,"active version of alias greet")', 'the new one');
select spec.claim_all('greet_v1');
select spec.complete('a', p_run => 1);
select from pgflow.cancel_run(spec.run(2));
select is(spec.status('greet_v1'), '(greet,f,1,3,f,"1 started run")', 'ended runs and tasks do not count');
select from pgflow.cancel_run(spec.run(1));
select is(spec.status('greet_v1'), '(greet,f,0,0,t,)', 'droppable');
select is_empty($$ select * from unnest('{greet_v1,maps}'::text[]) q cross join pgflow._reachable_pairs(q) p where p.flow_slug = 'greet_v1' $$, 'as the coverage of its queues says');
select isnt((select activated_at from pgflow.flow_versions where flow_slug = 'greet_v1'), null, 'it was active once');
select pgflow.retire_alias('greet');
select is(spec.status('greet_v2'), '(greet,f,0,0,t,)', 'a retired one');
select pgflow.create_flow('bare');
select is((select (active, activated_at is not null, held_by, routes)::text from pgflow.flow_versions where flow_slug = 'bare'), '(t,t,"active version of alias bare",{})', 'one without steps');

select * from finish();
rollback;
