-- allow_data_loss allows none: elsewhere than in a development database a changed shape is a mismatch, with it too.
begin;
\ir ../support/fixtures.sql
select plan(9);

create temp table shapes as select
  spec.flow('greet', array[spec.step('a')]) -> 'shape' as one,
  spec.flow('greet', array[spec.step('a', p_only_if => '{"n": 1}')]) -> 'shape' as two;
grant select on shapes to pgflow_compat;
grant usage on schema spec to pgflow_compat;
select is(pgflow.ensure_flow_compiled('greet', one, true) ->> 'status', 'compiled', 'stored') from shapes;
select is(pgflow.ensure_flow_compiled(flow_slug => 'greet', shape => one, allow_data_loss => false) ->> 'status', 'verified', 'by its name') from shapes;
select is(pgflow.ensure_flow_compiled('greet', two, true), jsonb_build_object('status', 'mismatch', 'differences', jsonb_build_array(
  'Step at index 0: requiredInputPattern differs ''{"value": {"n": 1}, "defined": true}'' vs ''{"defined": false}''')), 'a mismatch, which shows the whole patterns') from shapes;

-- A session's own setting opens nothing to a role that is no member of the owner.
select set_config('app.settings.jwt_secret', 'super-secret-jwt-token-with-at-least-32-characters-long', true);
set local role pgflow_compat;
select is(pgflow.is_local(), true, 'the setting is there');
select is(pgflow.ensure_flow_compiled('greet', two, true) ->> 'status', 'mismatch', 'a mismatch all the same') from shapes;
reset role;
select is(pgflow.ensure_flow_compiled('greet', two) ->> 'status', 'recompiled', 'the owner recreates it') from shapes;
select set_config('app.settings.jwt_secret', '', true);
update pgflow.settings set development = true;
set local role pgflow_compat;
select is(pgflow.ensure_flow_compiled('greet', one, false) ->> 'status', 'recompiled', 'in a database of luaflow dev everybody does') from shapes;
reset role;
select is(pgflow._get_flow_shape('greet') #>> '{steps,0,requiredInputPattern,defined}', 'false', 'the new shape');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
