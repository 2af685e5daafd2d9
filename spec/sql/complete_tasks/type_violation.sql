-- F5: an output that feeds a map and is no array fails the task, the step and the run at once, without a retry, whatever when_exhausted says.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('prices', spec.step('list', p_options => '{"maxAttempts": 5}', p_when_exhausted => 'skip'), spec.map('price', 'list'), spec.step('beside'));
select spec.start('prices');
select spec.claim_all('prices');
select is(spec.complete('list', '{"not": "an array"}'), 'done', 'it is recorded');
select is((select (t.status, t.error_message, t.output)::text from spec.task('list') t),
  '(failed,"[TYPE_VIOLATION] Produced object instead of array","{""not"": ""an array""}")', 'the task, with its output');
select is((select (s.status, s.error_message)::text from spec.state('list') s),
  '(failed,"[TYPE_VIOLATION] Map step price expects array input but dependency list produced object")', 'the step');
select is((select (r.status, r.error_step_slug, r.failed_at is not null)::text from spec.run_row() r), '(failed,list,t)', 'the run');
select matches((spec.run_row()).error_message, '^\[TYPE_VIOLATION\]', 'with the reason');
select is((spec.task('beside')).status, 'cancelled', 'a sibling is cancelled');
select is(spec.messages('prices') || ' ' || spec.archived('prices'), '0 2', 'both messages are archived');
select is(spec.complete('list', '[]', p_claim_no => 1), 'already', 'it cannot be completed any more');

select * from finish();
rollback;
