-- Attempts and base delay are those of the moment of the failure.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('greet');
select spec.deploy('greet', spec.step('a', p_options => '{"baseDelay": 50}'));
select spec.fail('a');
select ok(spec.about(spec.hidden_s_of('a'), 100), 'the new base delay');
select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 1}'));
select spec.fail('a', p_run => 2);
select is((spec.run_row(2)).status, 'failed', 'the new limit');

select * from finish();
rollback;
