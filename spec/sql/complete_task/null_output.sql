-- An output that is SQL null stays null; dependents, arrays of maps and the run's output have a JSON null for it.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'), spec.map('m'), spec.step('json'));
select spec.start('greet', '[1, 2]');
select spec.claim_all('greet');
select is((select output from pgflow.complete_task(spec.run(), 'a', 0, null)), null, 'the task');
select is((spec.state('a')).output, null, 'the step');
select is((select (r).input from pgflow.start_tasks('greet', array[(spec.task('b')).message_id], spec.worker()) r), '{"a": null}', 'a dependent');
select from pgflow.complete_task(spec.run(), 'm', 0, null);
select from pgflow.complete_task(spec.run(), 'm', 1, '2');
select is((spec.state('m')).output, '[null, 2]', 'a map');
select from pgflow.complete_task(spec.run(), 'b', 0, null);
select from pgflow.complete_task(spec.run(), 'json', 0, 'null');
select is((spec.state('json')).output, 'null', 'a JSON null stays one');
select is((spec.run_row()).status, 'completed', 'the run completes');
select is((spec.run_row()).output, '{"b": null, "m": [null, 2], "json": null}', 'its output');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
