-- In production another routing under a deployed slug is refused, as something else than a shape.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
create temp table before as select spec.definitions() as definitions;
create temp table answer as
select * from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a'), spec.step('b', '{a}')], p_routing => '{"b": "elsewhere"}')], p_generation => 2);
select is((select status from answer), 'routing_mismatch', 'the status');
select is((select cardinality(differences) from answer), 1, 'one difference');
select matches((select differences[1] from answer), 'b.*elsewhere.*greet', 'it names the step and both queues');
select is(spec.definitions(), (select definitions from before), 'nothing changed, and no queue was made');

select * from finish();
rollback;
