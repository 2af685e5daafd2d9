-- Zero attempts count as one.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_options => '{"maxAttempts": 0}'));
select spec.start('greet');
select results_eq('select spec.claim(''greet'')', array['a:0'], 'it is tried');
select spec.fail('a');
select is((spec.run_row()).status, 'failed', 'once');

select * from finish();
rollback;
