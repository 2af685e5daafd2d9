-- A server that is short of memory or of locks blames no task: what cannot be claimed then is left, and hidden for a moment.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 3) n;
alter function pgflow._claim_messages(text, bigint[], uuid, int, int) rename to _claim_messages_in_peace;
create function pgflow._claim_messages(p_queue_name text, p_message_ids bigint[], p_worker_id uuid, p_max_input int, p_room int)
returns setof pgflow.claim_row
language plpgsql as $$
begin
  if 2 = any (p_message_ids) then
    raise 'out of shared memory' using errcode = 'out_of_memory';
  end if;
  return query select * from pgflow._claim_messages_in_peace(p_queue_name, p_message_ids, p_worker_id, p_max_input, p_room);
end;
$$;
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10);
select results_eq($$ select run_id from answer where kind = 'task' order by run_id $$, $$ values (spec.run(1)), (spec.run(3)) $$, 'the others are claimed');
select is_empty($$ select from answer where kind = 'failed' $$, 'nothing is failed');
select is((select (t.status, t.attempts_count)::text from pgflow.step_tasks t where t.run_id = spec.run(2)), '(queued,0)', 'the one that could not be claimed waits');
select ok((select q.vt > clock_timestamp() and q.vt < clock_timestamp() + interval '3 seconds' from pgmq.q_greet q where q.msg_id = 2), 'for a moment');

select * from finish();
rollback;
