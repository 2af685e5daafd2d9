-- That recovery fails stands on the worker's row, with the error and since when.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('one', spec.step('a'));
select pgflow.report_recovery(spec.worker(), 'no right');
update pgflow.workers set recovery_failing_since = now() - interval '1 hour';
select is((select recovery_error from pgflow.workers), 'no right', 'why');
select pgflow.report_recovery(spec.worker(), 'no table');
select is((select (recovery_error, recovery_failing_since = now() - interval '1 hour')::text from pgflow.workers), '("no table",t)', 'since the first of them');
select pgflow.report_recovery(spec.worker(), null);
select is((select (recovery_error, recovery_failing_since)::text from pgflow.workers), '(,)', 'no more');
select lives_ok($$ select pgflow.report_recovery(spec.worker(9), 'x') $$, 'an unknown worker is no error');

select * from finish();
rollback;
