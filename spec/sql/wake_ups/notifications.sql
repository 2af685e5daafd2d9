-- Who is woken when. Notifications come with a commit, so this spec works in a database of its own, and reads what psql prints of them.
\set origin :DBNAME
\set seen `mktemp`
\c postgres
set client_min_messages = warning;
drop database if exists luaflow_wake_ups with (force);
create database luaflow_wake_ups template :"origin";
\c luaflow_wake_ups
begin;
\ir ../support/fixtures.sql
select plan(8);
select spec.deploy_registry(
  array[spec.flow('greet', array[spec.map('a'), spec.step('b', '{a}'), spec.step('c', '{a}')], p_routing => '{"c": "other"}')], q, p_worker => n
) from (values (1, 'greet'), (2, 'other')) as v (n, q);
commit;
listen "pgflow:greet";
listen "pgflow:other";

\o :seen
begin;
select spec.start('greet', '[1, 2]', n) from generate_series(1, 3) n;
commit;
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, 'pgflow:greet', 'starts: once for a queue and transaction');

\o :seen
begin;
select spec.start('greet', '[1, 2]', 9);
rollback;
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, '', 'a start that is rolled back: nobody');

select spec.claim_all('greet');
\o :seen
begin;
select pgflow.lock_runs(array[spec.run(1)], 'greet');
select spec.complete_batch('{1,1}', '{a,a}', '{0,1}', array['1', '2']::jsonb[]);
select spec.claim_all('greet');
commit;
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, 'pgflow:other', 'a batch that ends with a claim on its own queue: the other queue');

\o :seen
select spec.complete_batch('{2,2}', '{a,a}', '{0,1}', array['1', '2']::jsonb[]);
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, 'pgflow:greet pgflow:other', 'one that claims nothing: both');

select spec.claim('other', p_worker => 2);
select spec.complete('c', p_run => 1);
\o :seen
select spec.complete('b', p_run => 1);
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is((spec.run_row(1)).status || ' ' || :'woken', 'completed ', 'the end of a run: nobody');

\o :seen
select spec.fail('a', p_run => 3);
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, 'pgflow:greet', 'a retry: its queue');

select spec.claim('other', p_worker => 2);
\o :seen
select pgflow.cancel_run(spec.run(n)) from generate_series(2, 3) n;
\o
\set woken `sed -n 's/.*notification "\([^"]*\)" with payload "\([^"]*\)".*/\1 \2/p' :seen | sort | xargs`
select is(:'woken'::text, 'pgflow:greet cancelled pgflow:other cancelled', 'cancellations: the queues of what is started');

update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds';
\o :seen
select spec.start('greet', '[1, 2]', 4);
\o
\set woken `sed -n 's/.*notification "\([^"]*\)".*/\1/p' :seen | sort | xargs`
select is(:'woken'::text, '', 'a start for which no worker lives: nobody');

select * from finish();
\set seen `rm :seen`
\c postgres
drop database luaflow_wake_ups with (force);
