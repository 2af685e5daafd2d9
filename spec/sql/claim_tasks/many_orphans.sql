-- Messages that nobody owns delay what lies behind them by few claims: a page without tasks says that there may be more, and a thousand are settled with it.
begin;
\ir ../support/fixtures.sql
select plan(8);

create function pg_temp.claims_until_a_task(p_quantity int) returns int language plpgsql volatile as $$
declare
  v_task text;
  v_more boolean;
begin
  for v_n in 1 .. 100 loop
    select max(c.step_slug), bool_or(c.more) into v_task, v_more from pgflow.claim_tasks(spec.worker(), 1, 'greet', p_quantity) c;
    if v_task is not null then return v_n; end if;
    exit when not v_more;
  end loop;
  return null;
end;
$$;
select spec.deploy('greet', spec.step('a'));
select from pgmq.send_batch('greet', array_fill('{}'::jsonb, array[5000]));
update pgmq.q_greet set enqueued_at = now() - interval '61 seconds';
select spec.start('greet');
select ok(pg_temp.claims_until_a_task(20) <= 6, 'behind 5,000 old ones');
select is(spec.messages('greet'), 1::bigint, 'which are archived');
select is(spec.archived('greet'), 5000::bigint, 'all of them');

select from pgmq.send_batch('greet', array_fill('{}'::jsonb, array[5000]));
select spec.start('greet', p_run => 2);
select ok(pg_temp.claims_until_a_task(20) <= 6, 'behind 5,000 young ones');
select is(spec.messages('greet'), 5002::bigint, 'which stay');
select is_empty($$ select from pgmq.q_greet q where q.vt < clock_timestamp() $$, 'hidden');

-- Others hold what is read: it is hidden, so that claims at once come to an end.
select spec.make_visible('greet');
delete from pgmq.q_greet q where not exists (select from pgflow.step_tasks t where t.queue_name = 'greet' and t.message_id = q.msg_id);
select results_eq($$ select kind, more from pgflow.claim_tasks(spec.worker(), 1, 'greet', 2) $$, $$ values ('answer', true) $$, 'a page of started tasks');
select results_eq($$ select kind, more from pgflow.claim_tasks(spec.worker(), 1, 'greet', 2) $$, $$ values ('answer', false) $$, 'comes once');

select * from finish();
rollback;
