-- Inputs of the newest runs and outputs of their completed tasks, by flow and step.
begin;
\ir ../support/fixtures.sql
select plan(5);

select is(pgflow.run_samples(2, 100), '{}', 'nothing without flows');
select spec.deploy_registry(array[spec.flow('one', array[spec.map('m')])]);
select is(pgflow.run_samples(2, 100), '{}', 'a flow without runs has none');
select spec.start('one', '[1, 2]');
select spec.claim('one', 1);
select is(pgflow.run_samples(2, 100), '{"one": {"inputs": [[1, 2]], "outputs": {}}}', 'the input, no output yet');
select spec.complete('m', '{"a": 1}');
select is(pgflow.run_samples(2, 100), '{"one": {"inputs": [[1, 2]], "outputs": {"m": [{"a": 1}]}}}', 'the output of the task that completed');
select is(pgflow.run_samples(2, 5), '{"one": {"inputs": [], "outputs": {}}}', 'long values are left out');

select * from finish();
rollback;
