-- Without a claim, without tasks known and without a row of the worker nothing happens.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
create temp table before as select spec.runtime() as runtime;
select is_empty($$ select * from pgflow.reconcile_claims(spec.worker(), '{}', '{}', '{}', '{}') $$, 'no claim');
select is_empty($$ select * from pgflow.reconcile_claims(spec.worker(9), '{}', '{}', '{}', '{}') $$, 'an unknown worker');
select is(spec.runtime(), (select runtime from before), 'nothing changed');

select * from finish();
rollback;
