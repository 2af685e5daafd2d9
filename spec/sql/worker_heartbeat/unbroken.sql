-- A gap of more than 6 s between two heartbeats starts the unbroken time anew; a shorter one does not.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
update pgflow.workers set unbroken_since = now() - interval '1 hour', last_heartbeat_at = clock_timestamp() - interval '5 seconds';
select from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}');
select is((select unbroken_since from pgflow.workers), now() - interval '1 hour', 'a gap of 5 s');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '7 seconds';
select from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}');
select ok((select unbroken_since >= now() from pgflow.workers), 'a gap of 7 s');

select * from finish();
rollback;
