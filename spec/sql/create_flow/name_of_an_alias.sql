-- A flow of a name that is the alias of deployed versions is refused: their alias does not move.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
create temp table before as select spec.definitions() as definitions;
select throws_ok($$ select pgflow.create_flow('greet') $$, '55000', 'flow greet cannot be created: it is the alias of greet_v1');
select throws_ok($$ select pgflow.ensure_flow_compiled('greet', '{"steps": []}') $$, '55000', 'flow greet cannot be created: it is the alias of greet_v1', 'nor through its shape');
select is(spec.definitions(), (select definitions from before), 'nothing changed');

select * from finish();
rollback;
