-- Where both differ, both are shown.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
create temp table answer as select * from spec.deploy_registry(array[spec.flow('greet', array[spec.map('a')], p_routing => '{"a": "elsewhere"}')]);
select is((select status from answer), 'shape_mismatch', 'the shape is named first');
select ok((select array_to_string(differences, ' ') ~ 'kind: in the modules' and array_to_string(differences, ' ') ~ 'elsewhere' from answer), 'the routing is shown too');

select * from finish();
rollback;
