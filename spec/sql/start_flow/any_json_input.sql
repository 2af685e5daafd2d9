-- Without a root map the input may be any JSON, null too, but not SQL NULL.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'));
select is((select r.input from pgflow.start_flow('greet', c.input) r), c.input, c.input::text)
from (values ('null'::jsonb), ('false'), ('0'), ('""'), ('[]'), ('{}'), ('9007199254740993')) as c (input);
select throws_ok('select pgflow.start_flow(''greet'', null)', '23502', null, 'SQL NULL is a not-null violation');

select * from finish();
rollback;
