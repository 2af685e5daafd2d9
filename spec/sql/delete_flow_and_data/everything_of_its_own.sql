-- The flow, its runs and their messages go, archived ones too; a shared queue stays, with what others have in it (I10).
begin;
\ir ../support/fixtures.sql
select plan(11);

select spec.deploy_registry(array[
  spec.flow('one', array[spec.step('a'), spec.step('b', '{a}'), spec.step('c')], p_routing => '{"a": "shared", "b": "shared"}'),
  spec.flow('two', array[spec.step('a')], p_routing => '{"a": "shared"}')], 'shared');
select spec.start('one', p_run => 1);
select spec.start('one', p_run => 2);
select spec.start('two', p_run => 3);
select spec.claim('shared', 1);
select spec.complete('a');
select pgmq.send('shared', '{"somebody": "else"}');
create temp table before as select spec.task('a', 0, 3) as t, (select jsonb_agg(q order by q.msg_id) from pgmq.q_shared q where q.message ->> 'flow_slug' is distinct from 'one') as q;
select lives_ok($$ select pgflow.delete_flow_and_data('one') $$, 'deleted');
select is_empty($$ select flow_slug from pgflow.flows where flow_slug = 'one' union all select flow_slug from pgflow.steps where flow_slug = 'one' union all select flow_slug from pgflow.deps $$, 'the definition is gone');
select is_empty($$ select run_id from pgflow.runs where flow_slug = 'one' union all select run_id from pgflow.step_states where flow_slug = 'one' union all select run_id from pgflow.step_tasks where flow_slug = 'one' $$, 'so are its rows');
select is_empty($$ select flow_alias from pgflow.flow_aliases where flow_alias = 'one' union all select flow_alias from pgflow.alias_activations where flow_alias = 'one' $$, 'and its alias, which has no version left');
select is((select jsonb_agg(q order by q.msg_id) from pgmq.q_shared q), (select q from before), 'the messages of others are untouched');
select is(spec.task('a', 0, 3), (select t from before), 'their tasks too');
select is(spec.messages('one') || ' ' || spec.archived('one') || ' ' || spec.archived('shared'), '0 0 0', 'its own are gone, archived ones too');
select set_eq('select queue_name from pgflow.queues', '{one,shared}'::text[], 'both queues are there');
select throws_ok($$ select spec.start('one') $$, '23503', null, 'it cannot be started');
select lives_ok($$ select pgflow.delete_flow_and_data('one') $$, 'a repeated call does nothing');
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('x')])])), 'created', 'the slug is free');

select * from finish();
rollback;
