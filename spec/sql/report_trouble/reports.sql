-- What goes wrong in a worker stands under its name: since the first report, with the last error, until it ends.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('one', spec.step('a'));
select pgflow.report_trouble(spec.worker(), 'unrecorded', 2, 'the audit is full');
select is((select (t.count, t.error, t.since > now() - interval '1 minute')::text from pgflow.worker_troubles t), '(2,"the audit is full",t)', 'how many, and why');
update pgflow.worker_troubles set since = now() - interval '1 hour';
select pgflow.report_trouble(spec.worker(), 'unrecorded', 0, 'the disk is full');
select is((select (t.count, t.error, t.since = now() - interval '1 hour')::text from pgflow.worker_troubles t), '(,"the disk is full",t)', 'since the first of them');
select pgflow.report_trouble(spec.worker(), 'recovery', null, repeat('x', 10000));
select is((select length(t.error) from pgflow.worker_troubles t where t.trouble = 'recovery'), 8192, 'no more than a part of a long error');
select pgflow.report_trouble(spec.worker(), 'unrecorded', 0, null);
select is((select array_agg(t.trouble) from pgflow.worker_troubles t), '{recovery}', 'one ends, the other goes on');
select lives_ok($$ select pgflow.report_trouble(spec.worker(), 'claim', 1, null) $$, 'the end of what was not reported is no error');
select lives_ok($$ select pgflow.report_trouble(spec.worker(9), 'claim', 1, 'x') $$, 'an unknown worker is no error');
select throws_ok($$ select pgflow.report_trouble(spec.worker(), 'mood', 1, 'x') $$, '23514', null, 'only what is known');
delete from pgflow.workers;
select is((select count(*) from pgflow.worker_troubles), 0::bigint, 'it goes with the worker');

select * from finish();
rollback;
