-- A quantity that is no number of messages is an error; an unknown generation claims nothing.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select throws_ok($$ select pgflow.claim_tasks(spec.worker(), 1, 'greet', null) $$, '22023', 'claim_tasks: the quantity is NULL, but must be 0 or more', 'null');
select throws_ok($$ select pgflow.claim_tasks(spec.worker(), 1, 'greet', -1) $$, '22023', null, 'less than none');
select is((select status from pgflow.claim_tasks(spec.worker(), null, 'greet', 1)), 'stale_generation', 'no generation');
select is(spec.nth_claim((spec.task('a')).claim_no), 0::bigint, 'nothing was claimed');

select * from finish();
rollback;
