-- Results that the database does not take stand on the worker's row, with the error and since when.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('one', spec.step('a'));
select pgflow.report_unrecorded(spec.worker(), 2, 'the audit is full');
select is((select (unrecorded_count, unrecorded_error, unrecorded_since is not null)::text from pgflow.workers), '(2,"the audit is full",t)', 'how many, and why');
update pgflow.workers set unrecorded_since = now() - interval '1 hour';
select pgflow.report_unrecorded(spec.worker(), 3, 'the disk is full');
select is((select (unrecorded_count, unrecorded_error, unrecorded_since = now() - interval '1 hour')::text from pgflow.workers), '(3,"the disk is full",t)', 'since the first of them');
select pgflow.report_unrecorded(spec.worker(), 0, null);
select is((select (unrecorded_count, unrecorded_error, unrecorded_since)::text from pgflow.workers), '(,,)', 'no more');
select lives_ok($$ select pgflow.report_unrecorded(spec.worker(9), 1, 'x') $$, 'an unknown worker is no error');
select is((select count(*) from pgflow.workers), 1::bigint, 'and no row');

select * from finish();
rollback;
