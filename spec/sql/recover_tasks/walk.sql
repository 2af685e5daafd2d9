-- Recovery walks over the active tasks of its queue in parts, over runs and flows and within a run, resumes where it was, and begins again.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy_registry(array[
  spec.flow('one', array[spec.map('a')]), spec.flow('three', array[spec.step('a')], p_routing => '{"a": "one"}'), spec.flow('two', array[spec.step('a')], p_routing => '{"a": "one"}')
]);
select spec.start('one', (select jsonb_agg(n) from generate_series(1, 4500) n));
select spec.start('two', '{}', 2);
select spec.start('three', '{}', n) from generate_series(3, 12) n;
select pgmq.purge_queue('one');
create function pg_temp.round() returns bigint language sql as $$ select count(*) from pgflow.recover_tasks(spec.worker()) where outcome = 'resent' $$;
select is(pg_temp.round(), 2000::bigint, 'a part of the first run');
select is(pg_temp.round(), 2000::bigint, 'the next part');
select is(pg_temp.round(), 511::bigint, 'the rest, and the other flows');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all have their messages');
delete from pgmq.q_one where msg_id = (spec.task('a', 4499)).message_id or msg_id = (spec.task('a', 0, 2)).message_id;
select is((select array_agg(n) from (select pg_temp.round() as n from generate_series(1, 3)) r), '{0,0,2}', 'the second walk finds what was lost since');
delete from pgmq.q_one where msg_id = (spec.task('a', 0)).message_id;
select is(pg_temp.round(), 1::bigint, 'so does the third');

select * from finish();
rollback;
