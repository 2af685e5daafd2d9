-- The answer says when the next attempt comes, in seconds: the backoff, or the delay that was asked for; nothing where there is none.
begin;
\ir ../support/fixtures.sql
select plan(5);

create function spec.answer(p_step text, p_delay float8 default null, p_permanent boolean default false, p_free boolean default false) returns text
language sql volatile as $$
  select a.answer || ' ' || coalesce(a.retry_delay::text, 'never') from pgflow.fail_tasks(
    array[spec.run()], array[p_step], '{0}', array[(spec.task(p_step)).claim_no], '{boom}', array[p_delay], array[p_permanent], array[p_free]
  ) a;
$$;

select spec.deploy('greet', spec.step('a', p_options => '{"baseDelay": 3}'), spec.step('b'), spec.step('c'), spec.step('d'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.answer('a'), 'done 6', 'by backoff');
select is(spec.answer('b', 2.5), 'done 2.5', 'after exactly that delay');
select is(spec.answer('c', 7, false, true), 'done 7', 'a snooze');
select is(spec.answer('a'), 'already never', 'a second time');
select is(spec.answer('d', null, true), 'done never', 'for good');

select * from finish();
rollback;
