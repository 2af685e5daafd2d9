-- What is cancelled cannot be released.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', p_permanent => true);
select is(spec.release('b'), 'stale', 'the answer');
select is((spec.task('b')).status, 'cancelled', 'it stays cancelled');
select is(spec.messages('greet'), 0::bigint, 'the queue stays empty');

select * from finish();
rollback;
