-- What the last reload came to stands on the worker's row.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('one', spec.step('a'));
select pgflow.report_reload(spec.worker(), 'flows/one.lua:3: boom', 0);
select is((select last_reload_error from pgflow.workers), 'flows/one.lua:3: boom', 'refused');
select pgflow.report_reload(spec.worker(), null, 0);
select is((select (last_reload_error, last_reload_at is not null)::text from pgflow.workers), '(,t)', 'accepted');
select lives_ok($$ select pgflow.report_reload(spec.worker(9), 'x', 0) $$, 'an unknown worker is no error');
select is((select count(*) from pgflow.workers), 1::bigint, 'and no row');

select * from finish();
rollback;
