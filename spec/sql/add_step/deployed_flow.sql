-- A flow that a worker deployed is never changed by the compatibility functions.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select throws_ok($$ select pgflow.add_step('greet', 'b') $$, '55000', null, 'a new step is refused');
select is((select count(*) from pgflow.steps), 1::bigint, 'the flow has the step it had');
select is((select f.opt_max_attempts from pgflow.create_flow('greet', 9) f), 3, 'create_flow changes nothing either');

select * from finish();
rollback;
