-- A failure without a message is recorded, too.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail('a', null), 'done', 'the answer');
select is((spec.run_row()).status, 'failed', 'the run failed');

select * from finish();
rollback;
