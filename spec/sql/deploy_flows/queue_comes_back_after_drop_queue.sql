-- The same after pgmq.drop_queue, which takes the archive along; a start delay still counts, and tasks of ended runs get nothing.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.step('a'), spec.step('b', p_options => '{"startDelay": 60}'));
select spec.start('prices', '1', 1);
select spec.start('prices', '1', 2);
select spec.claim_all('prices');
select spec.fail('a', p_permanent => true, p_run => 2);
select pgmq.drop_queue('prices');
select spec.deploy('prices', spec.step('a'), spec.step('b', p_options => '{"startDelay": 60}'));
select is(spec.messages('prices'), 2::bigint, 'the messages of the started run');
select ok(spec.about(spec.hidden_s_of('b'), 60), 'the start delay');
select ok((select min(q.msg_id) from pgmq.q_prices q) > 4, 'ids go on');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
