-- What old generations hold stands in a row each until the next report; workers show it while they live.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('one', spec.step('a'));
select pgflow.report_old_generations(spec.worker(), '{3,4}', '{1,2}', '{1,5}', '{60,10}', '{3540,20.5}', '{1000,2000}');
select is(
  (select string_agg(concat_ws(' ', o.generation, o.executors, o.tasks, o.memory), ', ' order by o.generation) from pgflow.old_generations o),
  '3 1 1 1000, 4 2 5 2000', 'each of them');
select is((select round(extract(epoch from o.deadline - o.oldest_since)) from pgflow.old_generations o where o.generation = 3), 3600::numeric, 'since when, and until when');
select is((select jsonb_path_query_array(s.old_generations, '$[*].tasks') from pgflow.worker_status(false) s), '[1, 5]', 'the worker shows them');
select pgflow.report_old_generations(spec.worker(), '{4}', '{1}', '{1}', '{12}', '{18}', '{2000}');
select is((select array_agg(o.generation) from pgflow.old_generations o), '{4}', 'the last report counts');
update pgflow.workers set last_heartbeat_at = clock_timestamp() - interval '31 seconds';
select is((select s.old_generations from pgflow.worker_status(false) s), '[]', 'a dead worker holds nothing');
select lives_ok($$ select pgflow.report_old_generations(spec.worker(9), '{1}', '{1}', '{1}', '{1}', '{1}', '{1}') $$, 'an unknown worker is no error');

select * from finish();
rollback;
