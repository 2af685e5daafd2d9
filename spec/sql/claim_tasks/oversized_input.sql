-- A task whose input cannot be made, or has more bytes than the worker takes, fails for good by name; the others that were read with it are claimed.
begin;
\ir ../support/fixtures.sql
select plan(15);

select spec.deploy('wide', spec.step('a'), spec.step('b'), spec.step('c'), spec.step('join', array['a', 'b', 'c']));
select spec.start('wide', p_run => n) from generate_series(1, 3) n;
select spec.claim_all('wide');
-- The outputs of its dependencies exceed together what jsonb can hold, and --max-input.
select spec.complete(s, to_jsonb(repeat('x', 100000000)), p_run => 1) from unnest(array['a', 'b', 'c']) s;
select spec.complete(s, '1', p_run => 2) from unnest(array['a', 'b', 'c']) s;
-- 1.18 GB as text.
select spec.complete('a', (select jsonb_agg(('1e131071')::numeric) from generate_series(1, 9000)), p_run => 3);
select spec.complete(s, '1', p_run => 3) from unnest(array['b', 'c']) s;

create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'wide', 10);
select results_eq($$ select run_id from answer where kind = 'failed' and input like 'the input of step join %' order by run_id $$,
  $$ values (spec.run(1)), (spec.run(3)) $$, 'the claim that meets them names those that it fails');
select results_eq($$ select kind, run_id, step_slug, more from answer where kind <> 'failed' $$,
  $$ values ('task', spec.run(2), 'join', null::boolean), ('answer', null, null, false) $$, 'the claim that meets them takes the other');
select results_eq($$ select status, error_step_slug, error_message from pgflow.runs where run_id = spec.run(1) $$,
  $$ values ('failed', 'join', 'the input of step join is 286 MB as JSON text, but --max-input is 64 MB') $$, 'its run fails, and says why');
select ok((select status = 'failed' and error_message like 'the input of step join cannot be sent to a worker: out of memory%' from pgflow.runs where run_id = spec.run(3)),
  'so does the one whose text is too long for the server');
select is((spec.task('join', p_run => 1)).status, 'failed', 'by its task');
select is(spec.complete('join', '2', p_run => 2), 'done', 'the other completes');
select is_empty('select * from pgflow.check_invariants(true)', 'and all is consistent');

select spec.deploy_registry(array[spec.flow('big', array[spec.step('one'), spec.step('two', p_when_exhausted => 'skip')])], p_worker => 2);
select spec.start('big', to_jsonb(repeat('x', 40)), 10), spec.start('big', '1', 11);
select results_eq($$ select run_id, step_slug from pgflow.claim_tasks(spec.worker(2), 1, 'big', 10, 30) where kind = 'task' $$,
  $$ values (spec.run(11), 'one'), (spec.run(11), 'two') $$, 'an input of 42 bytes where 30 are taken');
select is((spec.run_row(10)).error_message, 'the input of step one is 42 bytes as JSON text, but --max-input is 30 bytes', 'its run says so');

-- Six inputs of 22 bytes each.
select spec.start('big', to_jsonb(repeat('y', 20)), 20 + n) from generate_series(1, 3) n;
select results_eq($$ select step_slug, run_id, more from pgflow.claim_tasks(spec.worker(2), 1, 'big', 10, 50) where kind <> 'orphan' $$,
  $$ values ('one', spec.run(21), null::boolean), ('two', spec.run(21), null), (null, null, true) $$, 'a claim takes as many as 50 bytes hold, and says that there is more');
select is((spec.task('one', p_run => 22)).status, 'queued', 'the rest is queued');
select ok(spec.hidden_s_of('one', p_run => 22) <= 0, 'and visible');
select is(array(select spec.claim('big', 3, 2)), '{one:0,two:0,one:0}', 'for the next claim');
select is((select more from pgflow.claim_tasks(spec.worker(2), 1, 'big', 1) where kind = 'answer'), true, 'after a full page there may be more');


select spec.deploy_registry(array[spec.flow('soft', array[spec.map('each', p_when_element_exhausted => 'null')])], p_worker => 3);
select spec.start('soft', jsonb_build_array(repeat('z', 40)), 30);
select from pgflow.claim_tasks(spec.worker(3), 1, 'soft', 10, 30);
select is((select (r.status, s.output, t.error_message)::text from spec.run_row(30) r, spec.state('each', 30) s, spec.task('each', 0, 30) t),
  '(completed,[null],"the input of step each is 42 bytes as JSON text, but --max-input is 30 bytes")', 'an element whose failure gives null');

select * from finish();
rollback;
