-- The key of a retried run is the retry's: starting with it again answers with the newest run of the chain, also once the old one was pruned.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'));
select from pgflow.start_flow('greet', '{"n": 1}', spec.run(), 'order 7');
select from pgflow.cancel_run(spec.run());
select r.run_id as retry from pgflow.retry_run(spec.run()) r \gset
select is((select r.run_id from pgflow.start_flow('greet', '{"n": 1}', null, 'order 7') r), :'retry', 'the retry');
select from pgflow.cancel_run(:'retry');
select r.run_id as newest from pgflow.retry_run(:'retry') r \gset
select is((select r.run_id from pgflow.start_flow('greet', '{"n": 1}', null, 'order 7') r), :'newest', 'the newest of the chain');
select throws_ok($$ select pgflow.start_flow('greet', '{"n": 2}', null, 'order 7') $$, '23505', null, 'still refused with another input');
update pgflow.runs set started_at = started_at - interval '9 days', cancelled_at = cancelled_at - interval '9 days' where status = 'cancelled';
select is(pgflow.prune_data_older_than('1 day'), 2::bigint, 'the older ones are pruned');
select is((select r.run_id from pgflow.start_flow('greet', '{"n": 1}', null, 'order 7') r), :'newest', 'and the key is not free');

select * from finish();
rollback;
