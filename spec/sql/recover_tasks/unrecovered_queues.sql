-- A worker also recovers queues that nobody has recovered for 60 s, and never waits for one of them.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('one', spec.step('a'));
select spec.deploy_registry(array[spec.flow('two', array[spec.step('a')])], p_worker => 2);
select spec.deploy_registry(array[spec.flow('three', array[spec.step('a')])], p_worker => 3);
create function pg_temp.stall() returns void language sql as $$
  update pgflow.step_tasks set requeued_count = 0;
  select spec.age_claim('a', interval '91 seconds', p_run => n) from generate_series(1, 3) n;
$$;
create function pg_temp.moved() returns int[] language sql as $$
  select array_agg(right(r.run_id::text, 1)::int order by r.run_id) from pgflow.recover_tasks(spec.worker()) r where r.outcome = 'requeued';
$$;
select spec.start(f.slug, p_run => f.n) from (values ('one', 1), ('two', 2), ('three', 3)) f (slug, n);
select spec.claim(f.slug, p_worker => f.n) from (values ('one', 1), ('two', 2), ('three', 3)) f (slug, n);
select pg_temp.stall();
select is(pg_temp.moved(), '{1,2,3}', 'those of other queues too');
select spec.claim(f.slug, p_worker => f.n) from (values ('one', 1), ('two', 2), ('three', 3)) f (slug, n);
select pg_temp.stall();
select is(pg_temp.moved(), '{1}', 'not again within 60 s');
update pgflow.recoveries set recovered_at = recovered_at - interval '61 seconds' where queue_name = 'two';
select is(pg_temp.moved(), '{2}', 'after 60 s, and of that queue alone');
select spec.claim('one');
select pg_temp.stall();
update pgflow.recoveries set recovered_at = null where queue_name in ('two', 'three');
drop table pgmq.q_two cascade;
select is(pg_temp.moved(), '{1,3}', 'a queue that is gone stops nobody');

create or replace function pgflow._raise_message_ids(p_queue_name text) returns void language plpgsql as $$
begin
  if p_queue_name = 'three' then raise lock_not_available; end if;
end;
$$;
select spec.claim('one');
select spec.claim('three', p_worker => 3);
select pg_temp.stall();
update pgflow.recoveries set recovered_at = null where queue_name = 'three';
select is(pg_temp.moved(), '{1}', 'nor does one that is locked');
select is((spec.task('a', 0, 3)).status, 'started', 'it is left');

select * from finish();
rollback;
