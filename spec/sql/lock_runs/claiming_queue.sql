-- The queue that the batch ends with a claim on is known to the rest of the transaction, and named only by who says so.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select pgflow.lock_runs('{}');
select is(coalesce(current_setting('pgflow.claiming_queue', true), ''), '', 'none is named');
select pgflow.lock_runs('{}', 'greet');
select is(current_setting('pgflow.claiming_queue', true), 'greet', 'the one that was named');
select pgflow.lock_runs('{}');
select is(current_setting('pgflow.claiming_queue', true), 'greet', 'callbacks that lock again do not take it away');

select * from finish();
rollback;
