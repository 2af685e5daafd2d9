-- A message is cut, not refused.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', repeat('x', 100000)), 'done', 'the answer');
select ok(length((spec.task('a')).error_message) between 8000 and 8192, 'at most 8 KiB are stored');

select * from finish();
rollback;
