-- It gives nothing and touches nothing.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select is_empty($$ select * from pgflow.poll_for_tasks('greet', 2, 10) $$, 'no tasks');
select ok(spec.hidden_s_of('a') <= 0, 'the message is where it was');

select * from finish();
rollback;
