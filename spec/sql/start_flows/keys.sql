-- An input whose key has a run, from before or from the same call, is answered with that run; another input is an error.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'));
create temp table first as select * from pgflow.start_flow('greet', '1', idempotency_key => 'k');
create temp table started as
select * from pgflow.start_flows('greet', array['1', '2', '2', '3', '3']::jsonb[], array['k', 'l', 'l', null, null]) with ordinality;
select is((select s.run_id from started s where s.ordinality = 1), (select f.run_id from first f), 'the run from before');
select is((select count(distinct s.run_id) from started s where s.ordinality in (2, 3)), 1::bigint, 'one run for a key that is given twice');
select is((select count(distinct s.run_id) from started s where s.ordinality in (4, 5)), 2::bigint, 'without a key each is a run');
select is((select array_agg(s.input order by s.ordinality) from started s), array['1', '2', '2', '3', '3']::jsonb[], 'in the order of the inputs');
select is(spec.messages('greet'), 4::bigint, 'each run once');
select throws_ok(
  $$ select pgflow.start_flows('greet', array['4', '1', '9']::jsonb[], array[null, 'm', 'l']) $$, '23505',
  'idempotency key ''l'' of greet belongs to a run with another input', 'another input'
);
select is((select count(*) from pgflow.runs), 4::bigint, 'then none is started');
select throws_ok(
  $$ select pgflow.start_flows('greet', array['4', '1']::jsonb[], array['m']) $$, '2202E', 'there are 2 inputs, but 1 idempotency keys', 'a key is missing'
);

select * from finish();
rollback;
