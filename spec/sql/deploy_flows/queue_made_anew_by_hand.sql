-- A queue that somebody dropped and made anew gets the messages of its active tasks at the next deployment, under ids above all known ones.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('orders', spec.step('a'), spec.step('b', array['a']));
select spec.start('orders');
select spec.start('orders', p_run => 2);
select pgmq.drop_queue('orders');
select pgmq.create('orders');
select isnt_empty($$ select from pgflow.check_invariants(true) $$, 'the tasks have lost their messages');
select spec.deploy('orders', spec.step('a'), spec.step('b', array['a']));
select is(array_agg(message_id order by run_id), '{3,4}', 'both have new ones') from pgflow.step_tasks;
select is(array(select spec.claim('orders')), '{a:0,a:0}', 'they can be claimed');
select is(spec.complete('a'), 'done', 'and what follows finds free ids');
select is_empty($$ select from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
