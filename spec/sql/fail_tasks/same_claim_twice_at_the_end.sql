-- The very task that ended its run, again in a later call.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', 'first');
select is(spec.fail('a', 'again'), 'already', 'its failure is recorded');
select is((spec.run_row()).error_message, 'first', 'and stands');

select * from finish();
rollback;
