-- A round finds every task that became stalled since the last one, whoever polled; the first one in 60 s finds all. Neither depends on the walk.
begin;
\ir ../support/fixtures.sql
select plan(9);

create or replace function pgflow._walk_active_tasks(p_queue_name text) returns setof pgflow.step_tasks language sql as $$
  insert into pgflow.recoveries (queue_name) values (p_queue_name) on conflict do nothing;
  select t.* from pgflow.step_tasks t where false
$$;
create function pg_temp.round() returns text[] language sql as $$ select array_agg(r.step_slug || ' ' || r.outcome) from pgflow.recover_tasks(spec.worker()) r $$;
select spec.deploy('greet', spec.step('a'), spec.step('b'), spec.step('c'));
select spec.start('greet');
select spec.claim('greet', 1);
select spec.age_claim('a', interval '1 hour');
update pgmq.q_greet set vt = clock_timestamp() - interval '1 hour';
select is(pg_temp.round(), '{a requeued}', 'after an hour without any worker');

select spec.complete('a') from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1);
select spec.claim('greet', 1);
select is(pg_temp.round(), null, 'a task in time');
select spec.age_claim('b', interval '91 seconds');
update pgmq.q_greet set vt = clock_timestamp() - interval '29 seconds' where msg_id = (spec.task('b')).message_id;
select is(pg_temp.round(), '{b requeued}', 'stalled since the last round, visible for 29 s as pgflow''s own claim has it');
select ok((select recovered_at > now() - interval '1 second' from pgflow.recoveries), 'the round is recorded');

-- A round that did not move all leaves the next one to look as far back.
update pgflow.recoveries set recovered_at = clock_timestamp() - interval '20 seconds';
update pgflow.workers set clock_jumped_at = clock_timestamp();
select spec.claim('greet', 1);
select spec.age_claim('b', interval '91 seconds');
update pgmq.q_greet set vt = clock_timestamp() - interval '49 seconds' where msg_id = (spec.task('b')).message_id;
select is(pg_temp.round(), null, 'after a jump of the clock nothing is judged');
select ok((select recovered_at < clock_timestamp() - interval '19 seconds' from pgflow.recoveries), 'which is not recorded');
update pgflow.workers set clock_jumped_at = null;
select is(pg_temp.round(), '{b requeued}', 'it is found afterwards');

update pgflow.recoveries set recovered_at = clock_timestamp() + interval '1 hour';
select is(pgflow._unrecovered_since('greet'), '-infinity', 'a round in the future is none');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
