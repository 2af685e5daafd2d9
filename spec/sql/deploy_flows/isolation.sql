-- A transaction that sees an older state than its locks protect changes no definition.
begin isolation level repeatable read;
\ir ../support/fixtures.sql
select plan(3);

select throws_ok($$ select spec.deploy('greet', spec.step('a')) $$, '55000', 'flows cannot be deployed or changed in a transaction of isolation level REPEATABLE READ', 'a deployment');
select throws_ok($$ select pgflow.retire_alias('greet') $$, '55000', null, 'a retirement');
select is_empty('select * from pgflow.flows', 'nothing changed');

select * from finish();
rollback;
