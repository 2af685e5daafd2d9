-- A retry repeats only those elements of maps that had not completed, of root maps too, and so does a retry of the retry.
begin;
\ir ../support/fixtures.sql
select plan(15);

select spec.deploy('prices',
  spec.map('ask', p_options => '{"maxAttempts": 1}'),
  spec.map('soft', p_options => '{"maxAttempts": 1}', p_when_element_exhausted => 'null'),
  spec.map('skippable', p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'),
  spec.step('join', array['ask', 'soft', 'skippable']));
select spec.start('prices', '["a", "b", null, "d"]');
select spec.claim_all('prices');
select spec.complete('ask', '"A"', 0), spec.complete('ask', 'null', 2);
select spec.fail('soft', 'bad', 0), spec.complete('soft', '"B"', 1);
select spec.complete('skippable', '1', 3), spec.fail('skippable', 'bad', 0);
select spec.fail('ask', 'no luck', 1);
select is((spec.run_row()).status, 'failed', 'the run fails in a map');

create function spec.retry_as(p_run int, p_of int) returns void language plpgsql as $$
declare
  v_run_id uuid := (select run_id from pgflow.retry_run(spec.run(p_of)));
begin
  update pgflow.runs r set run_id = spec.run(p_run) where r.run_id = v_run_id;
  update pgflow.step_states r set run_id = spec.run(p_run) where r.run_id = v_run_id;
  update pgflow.step_tasks r set run_id = spec.run(p_run) where r.run_id = v_run_id;
end;
$$;
select spec.retry_as(2, 1);
select is(spec.tasks('ask', 2), '{completed,queued,completed,queued}', 'elements that had completed are kept');
select is(spec.tasks('soft', 2), '{queued,completed,queued,queued}', 'one that failed and gave null is repeated');
select is(spec.tasks('skippable', 2), '{queued,queued,queued,completed}', 'so are those of a step that was skipped');
select results_eq($$ select remaining_tasks, failed_tasks from pgflow.step_states where run_id = spec.run(2) and step_slug in ('ask', 'soft') order by step_slug $$,
  $$ values (2, 0), (3, 0) $$, 'the counters');
select is(spec.messages('prices'), 8::bigint, 'what is kept has no message');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select set_eq($$ select spec.claim('prices') $$, array['ask:1', 'ask:3', 'soft:0', 'soft:2', 'soft:3', 'skippable:0', 'skippable:1', 'skippable:2'],
  'only those are claimed');
select is(spec.complete('ask', '"late"', 0, 2, 0), 'already', 'nothing moves a kept one');

select spec.complete('ask', '"B"', 1, 2);
select from pgflow.cancel_run(spec.run(2));
select spec.retry_as(3, 2);
select is(spec.tasks('ask', 3), '{completed,completed,completed,queued}', 'a retry of the retry keeps both runs'' elements');
select spec.claim_all('prices');
select spec.complete('ask', '"D"', 3, 3);
select is((spec.state('ask', 3)).output, '["A", "B", null, "D"]', 'the output is whole');
select spec.complete('skippable', '2', n, 3) from generate_series(0, 2) n;
select spec.fail('soft', 'bad', n, 3) from unnest('{0,2}'::int[]) n;
select spec.complete('soft', '"D"', 3, 3);
select is((spec.state('soft', 3)).output, '[null, "B", null, "D"]', 'that of failed elements too');
select spec.claim_all('prices');
select spec.fail('join', 'broken', p_run => 3, p_permanent => true);
select spec.retry_as(4, 3);
select is(spec.states(4), '{"ask": "completed", "soft": "completed", "skippable": "completed", "join": "started"}', 'steps that completed are kept');
select is((select (s.failed_tasks, s.output)::text from spec.state('soft', 4) s), '(2,"[null, ""B"", null, ""D""]")', 'with the number of failed elements');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
