-- An unknown name is a foreign key violation; the hint lists the known aliases.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.hint_of(p_sql text) returns text language plpgsql as $$
declare v_hint text;
begin
  execute p_sql;
  return null;
exception when others then
  get stacked diagnostics v_hint = pg_exception_hint;
  return v_hint;
end;
$$;
select throws_ok('select pgflow.start_flow(''nowhere'', ''{}'')', '23503', null, 'raised without any flow');
select isnt(spec.hint_of('select pgflow.start_flow(''nowhere'', ''{}'')'), '', 'with a hint, too');
select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select spec.deploy('other', spec.step('a'));
select throws_ok('select pgflow.start_flow(''nowhere'', ''{}'')', '23503', null, 'raised');
select matches(spec.hint_of('select pgflow.start_flow(''nowhere'', ''{}'')'), 'greet.*other', 'the hint names the aliases');

select * from finish();
rollback;
