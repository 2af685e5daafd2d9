-- The result of a claim that another one has followed is refused (I12).
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.release('a');
select is(spec.complete('a', p_claim_no => 1), 'stale', 'released');
select spec.claim_all('greet');
select is(spec.complete('a', '"old"', p_claim_no => 1), 'stale', 'claimed again');
select is((spec.task('a')).status, 'started', 'the current claim goes on');
select is(spec.complete('a', '"new"', p_claim_no => 2), 'done', 'and completes');
select is((spec.run_row()).output, '{"a": "new"}'::jsonb, 'with its own output');

select * from finish();
rollback;
