-- A run_id that exists is a unique violation, and the run that has it stays as it was.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', '{"n": 1}');
select throws_ok('select spec.start(''greet'', ''{"n": 2}'')', '23505', null, 'raised');
select is((spec.run_row()).input, '{"n": 1}'::jsonb, 'the run is the first one');
select is(spec.messages('greet'), 1::bigint, 'nothing was sent for the second');

select * from finish();
rollback;
