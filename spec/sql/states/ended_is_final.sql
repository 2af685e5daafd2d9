-- A run that has ended, however, never changes again: whatever comes late from its claims, from recovery or from an operator.
begin;
\ir ../support/fixtures.sql
select plan(35);

select spec.deploy('wide', spec.step('a', p_options => '{"maxAttempts": 1, "timeout": 10}'), spec.step('b', p_when_exhausted => 'skip'), spec.step('c', '{a}'), spec.map('d', 'a'));
select spec.start('wide', p_run => n) from generate_series(1, 5) n;
select spec.claim_all('wide');
-- 1 completes with a skipped step, 2 fails, 3 is cancelled, 4 violates a type, 5 stalls too often.
select spec.complete('a', '[]', p_run => 1);
select spec.fail('b', p_run => 1, p_permanent => true);
select spec.claim_all('wide');
select spec.complete('c', '1', p_run => 1);
select spec.fail('a', p_run => 2);
select from pgflow.cancel_run(spec.run(3), 'enough');
select spec.complete('a', '1', p_run => 4);
update pgflow.step_tasks set requeued_count = 3 where run_id = spec.run(5) and step_slug = 'a';
select spec.age_claim('a', interval '41 seconds', p_run => 5);
select from pgflow.recover_tasks(spec.worker());
select is((select array_agg(status order by run_id) from pgflow.runs), '{completed,failed,cancelled,failed,failed}', 'the ends');
select is(spec.messages('wide'), 0::bigint, 'no message is left');

create temp table before as select spec.runtime() as r, (select jsonb_agg(a order by a.msg_id) from pgmq.a_wide a) as archive;
create function spec.stays(p_what text, p_sql text) returns setof text language plpgsql as $f$
begin
  execute p_sql;
  return next is(spec.runtime() || jsonb_build_object('messages', spec.messages('wide')), (select r || '{"messages": 0}' from before), p_what);
end;
$f$;
select spec.stays(o.what || ', run ' || n, format(o.sql, spec.run(n), n))
from generate_series(1, 5) n, (values
  ('late and duplicate results', $$ select spec.complete(t.step_slug, '9', t.task_index, %2$s), spec.fail(t.step_slug, 'late', t.task_index, %2$s), spec.fail(t.step_slug, 'late', t.task_index, %2$s, p_free => true),
    spec.release(t.step_slug, t.task_index, %2$s) from pgflow.step_tasks t where t.run_id = %1$L $$),
  ('the unfenced callbacks', $$ select pgflow.complete_task(t.run_id, t.step_slug, t.task_index, '9'), pgflow.fail_task(t.run_id, t.step_slug, t.task_index, 'late') from pgflow.step_tasks t where t.run_id = %1$L $$),
  ('a cancellation', $$ select pgflow.cancel_run(%1$L, 'again') $$),
  ('recovery', $$ select pgflow.recover_tasks(spec.worker()), pgflow.requeue_stalled_tasks() $$),
  ('reconciliation and a claim', $$ select pgflow.reconcile_claims(spec.worker(), '{}', '{}', '{}', '{}'); select spec.claim('wide') $$),
  ('cascades', $$ select pgflow.cascade_resolve_conditions(%1$L), pgflow.cascade_complete_taskless_steps(%1$L), pgflow.start_ready_steps(%1$L), pgflow._cascade_force_skip_steps(%1$L, 'a', 'x') $$)
) as o (what, sql);
select is((select jsonb_agg(a order by a.msg_id) from pgmq.a_wide a), (select archive from before), 'the archive too');
select is((select array_agg(coalesce(error_step_slug, '-') || ': ' || coalesce(error_message, '-') order by run_id) from pgflow.runs),
  '{-: -,"a: boom","-: enough","a: [TYPE_VIOLATION] Map step d expects array input but dependency a produced number","a: permanently stalled: timeouts that it outlived: 4 (limit 3)"}', 'what each run says of its end');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
