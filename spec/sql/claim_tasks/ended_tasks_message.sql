-- A message whose task has ended is archived and not reported.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
create function spec.claim_with_status(p_status text) returns text language plpgsql as $$
declare
  v_rows text;
begin
  update pgflow.step_tasks set status = p_status;
  delete from pgmq.q_greet;
  delete from pgmq.a_greet;
  insert into pgmq.q_greet (msg_id, vt, message) overriding system value values ((spec.task('a')).message_id, clock_timestamp() - interval '1 second', '{}');
  select string_agg(kind || coalesce(c.status, ''), ' ') into v_rows from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) c;
  return v_rows;
end;
$$;
select is(spec.claim_with_status(s.status), 'answerok', s.status || ': nothing is claimed or reported') from (values ('completed'), ('failed'), ('skipped'), ('cancelled')) as s (status);
select is(spec.messages('greet'), 0::bigint, 'each is gone from the queue');
select is(spec.archived('greet'), 1::bigint, 'into the archive');
select is((spec.task('a')).status, 'cancelled', 'the task is as it was');
select is(spec.nth_claim((spec.task('a')).claim_no), 1::bigint, 'and its claim number');

select * from finish();
rollback;
