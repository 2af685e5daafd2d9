-- A key that no index can hold is refused in words.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select throws_ok($$ select pgflow.start_flow('greet', '{}', null, repeat('x', 1025)) $$, '22023', 'the idempotency key has 1025 bytes, but at most 1024 are allowed', 'too long');
select is_empty('select * from pgflow.runs', 'nothing was started');
select lives_ok($$ select pgflow.start_flow('greet', '{}', null, repeat('x', 1024)) $$, 'the longest');

select * from finish();
rollback;
