-- A new function is enabled; a known one keeps its switch.
begin;
\ir ../support/fixtures.sql
select plan(2);

select pgflow.track_worker_function('audit');
select is((select (enabled, debounce, last_invoked_at)::text from pgflow.worker_functions where function_name = 'audit'), '(t,00:00:06,)', 'new');
update pgflow.worker_functions set enabled = false, last_invoked_at = now();
select pgflow.track_worker_function('audit');
select is((select (enabled, last_invoked_at = now(), updated_at > now())::text from pgflow.worker_functions), '(f,t,t)', 'known');

select * from finish();
rollback;
