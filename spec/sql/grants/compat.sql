-- pgflow_compat has the unfenced functions alone.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select is(spec.outcome_as('pgflow_compat', $$ select pgflow.start_tasks('greet', '{1,2}', '00000000-0000-4000-9000-000000000001');
  select pgflow.fail_task('00000000-0000-4000-8000-000000000001', 'a', 0, 'x'); select pgflow.complete_task('00000000-0000-4000-8000-000000000001', 'b', 0, '1') $$), 'fine', 'its three');
select is((spec.task('a')).status || ' ' || (spec.task('b')).status, 'queued completed', 'they worked');
select is(spec.outcome_as('pgflow_compat', $$ select pgflow.claim_tasks('00000000-0000-4000-9000-000000000001', 1, 'greet', 1) $$), '42501', 'no claim');
select is(spec.outcome_as('pgflow_compat', $$ select pgflow.create_flow('other') $$), '42501', 'no definition');

select is(spec.outcome_as('pgflow_compat', $$ select pgflow.requeue_stalled_tasks() $$), 'fine', 'it puts back what stalled');

select * from finish();
rollback;
