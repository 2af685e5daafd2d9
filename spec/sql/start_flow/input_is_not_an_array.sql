-- A root map needs an array.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('prices', spec.step('a'), spec.map('price'));
select throws_ok('select pgflow.start_flow(''prices'', null)', 'P0001', 'Flow prices has root map steps but input is NULL', 'SQL NULL');
select throws_ok(format('select pgflow.start_flow(''prices'', %L)', c.input), format('Flow prices has root map steps but input is not an array (got %s)', c.type), c.type)
from (values ('null', 'null'), ('{}', 'object'), ('1', 'number'), ('"x"', 'string'), ('true', 'boolean')) as c (input, type);
select is((select count(*) from pgflow.runs), 0::bigint, 'no run was stored');
select is(spec.messages('prices'), 0::bigint, 'nothing was sent');

select * from finish();
rollback;
