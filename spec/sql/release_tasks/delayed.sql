-- A release may hide its message for a while: it wakes nobody then, and the delay has a bound.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function pg_temp.release(p_delay float8) returns text
language sql as $$
  select a.answer from pgflow.release_tasks(array[spec.run()], '{a}', '{0}', array[(spec.task('a')).claim_no], null, null, array[p_delay]) a
$$;

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select is(pg_temp.release(30), 'done', 'the answer');
select ok(spec.hidden_s_of('a') between 25 and 30, 'its message is hidden');
select is((select count(*) from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), 0::bigint, 'nothing can be claimed');
update pgflow.step_tasks set status = 'started', attempts_count = 1;
select pg_temp.release('infinity');
select ok(spec.hidden_s_of('a') between 86300 and 86400, 'a day at most');

select * from finish();
rollback;
