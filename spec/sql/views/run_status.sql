-- A row for each run: progress in steps and tasks, how long it took, and what went wrong.
begin;
\ir ../support/fixtures.sql
select plan(10);

select columns_are('pgflow', 'run_status', '{run_id,flow_alias,flow_slug,started_as,status,started_at,ended_at,duration,steps,steps_done,tasks,tasks_done,error_step_slug,error_message,restart_of_run_id,completed_at,failed_at,cancelled_at,remaining_steps,steps_ended,tasks_failed}'::name[]);
select spec.deploy_registry(array[spec.flow('prices_v1', array[spec.map('a'), spec.step('b', '{a}'), spec.step('c', p_when_exhausted => 'skip'), spec.step('d', p_options => '{"maxAttempts": 1}')], p_alias => 'prices')], 'prices_v1');
select pgflow.create_flow('bare');
select spec.start('prices', '[1, 2, 3]', n) from generate_series(1, 2) n;
select spec.start('bare', '1', 3);
select spec.claim_all('prices_v1');
select spec.complete('a', '1', 0);
select spec.fail('c', p_permanent => true);
select spec.fail('d', 'no', p_run => 2);
create function spec.status(p_n int) returns text language sql as $$
  select (flow_alias, flow_slug, started_as, status, steps, steps_done, tasks, tasks_done, error_step_slug, error_message)::text from pgflow.run_status where run_id = spec.run(p_n);
$$;
select is(spec.status(1), '(prices,prices_v1,prices,started,4,0,4,1,,)', 'a run under way');
select is(spec.status(2), '(prices,prices_v1,prices,failed,4,0,5,0,d,no)', 'a failed one');
select spec.start('prices', '[]', 4);
select spec.claim_all('prices_v1');
select spec.fail('c', 'no', p_run => 4, p_permanent => true);
select is(spec.status(4), '(prices,prices_v1,prices,started,4,1,2,0,,)', 'a skipped step is not done');
select spec.complete(s, '1', p_run => 4) from unnest('{b,d}'::text[]) s;
select is(spec.status(4), '(prices,prices_v1,prices,completed,4,4,2,2,,)', 'before its run has completed');
select is(spec.status(3), '(bare,bare,bare,completed,0,0,0,0,,)', 'one without steps');
select ok((select duration > interval '0' and ended_at is null from pgflow.run_status where run_id = spec.run(1)), 'what is under way takes longer and longer');
select from pgflow.retry_run(spec.run(2));
select is((select restart_of_run_id from pgflow.run_status where restart_of_run_id is not null), spec.run(2), 'a retry');
update pgflow.runs set started_at = failed_at - interval '5 s' where run_id = spec.run(2);
select is((select duration from pgflow.run_status where run_id = spec.run(2)), interval '5 s', 'what has ended took its time');
select is((select count(*) from pgflow.run_status), (select count(*) from pgflow.runs), 'each run once');

select * from finish();
rollback;
