-- An inactive version cannot be started, and the error says which one is active.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.deploy_registry(array[
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]);
create function spec.error_of(p_sql text) returns text language plpgsql as $$
declare v_hint text;
begin
  execute p_sql;
  return null;
exception when others then
  get stacked diagnostics v_hint = pg_exception_hint;
  return sqlerrm || ' ' || v_hint;
end;
$$;
select matches(spec.error_of('select pgflow.start_flow(''greet_v1'', ''{}'')'), 'greet_v1.*greet_v2', 'it names both versions');
select is((select count(*) from pgflow.runs), 0::bigint, 'no run was stored');
update pgflow.flow_aliases set active_flow_slug = null;
select throws_ok('select pgflow.start_flow(''greet'', ''{}'')', '55000', null, 'an alias without an active version cannot be started');

select * from finish();
rollback;
