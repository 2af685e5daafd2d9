-- start_tasks hides each message for its effective timeout and 2 s.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('a', p_options => '{"timeout": 100}'), spec.step('b')], '{"timeout": 20}')]);
select spec.start('greet');
select from pgflow.start_tasks('greet', array[(spec.task('a')).message_id, (spec.task('b')).message_id], spec.worker());
select ok(spec.about(spec.hidden_s_of('a'), 102), 'the step''s timeout');
select ok(spec.about(spec.hidden_s_of('b'), 22), 'the flow''s');

select * from finish();
rollback;
