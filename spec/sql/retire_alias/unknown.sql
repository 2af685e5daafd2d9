-- An unknown alias is an error that helps.
begin;
\ir ../support/fixtures.sql
select plan(3);

create function spec.hint(p_sql text) returns text language plpgsql as $f$
declare
  v_hint text;
begin
  execute p_sql;
  return 'none';
exception when others then
  get stacked diagnostics v_hint = pg_exception_hint;
  return v_hint;
end;
$f$;
select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select throws_ok($$ select pgflow.retire_alias('meet') $$, '42704', 'there is no alias ''meet''', 'an unknown one');
select is(spec.hint($$ select pgflow.retire_alias('meet') $$), 'known: greet', 'the known ones');
select is(spec.hint($$ select pgflow.retire_alias('greet_v1') $$), 'it is a flow of alias greet', 'a version');

select * from finish();
rollback;
