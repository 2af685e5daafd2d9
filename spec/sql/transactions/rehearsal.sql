-- A transaction that is rehearsed does what one of a step does, and cannot be committed.
begin;
\ir ../support/fixtures.sql
select plan(3);

savepoint before;
select isnt(pgflow.rehearse_transaction(5000), null, 'a token');
create table spec.written (n int);
select throws_ok('set constraints all immediate', 'LF002', null, 'it cannot be committed');
rollback to before;
select hasnt_table('spec', 'written', 'what it wrote is rolled back');

select * from finish();
rollback;
