-- The error of an earlier attempt stays where it is.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', 'first', p_delay => 0);
select spec.claim_all('greet');
select spec.release('a');
select is((select (t.status, t.attempts_count, t.error_message)::text from spec.task('a') t), '(queued,1,first)', 'the task');

select * from finish();
rollback;
