-- A heartbeat refreshes the worker's row and tells it what it has to know.
begin;
\ir ../support/fixtures.sql
select plan(4);

insert into pgflow.migrations (version, name, checksum, oldest_program) values (9999, 'spec', 'none', '0.1.0');
select spec.deploy('greet', spec.step('a'));
update pgflow.workers set last_heartbeat_at = now() - interval '20 seconds';
select results_eq($$ select deprecated, function_enabled, schema_version, lost_ordinals from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}') $$,
  $$ values (false, true, 9999, '{}'::int[]) $$, 'the answer');
select ok((select last_heartbeat_at >= now() from pgflow.workers), 'the row is fresh, by the clock');
update pgflow.worker_functions set enabled = false;
select is((select function_enabled from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}')), false, 'a disabled function');
update pgflow.workers set deprecated_at = now();
select is((select deprecated from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}')), true, 'a deprecated worker');

select * from finish();
rollback;
