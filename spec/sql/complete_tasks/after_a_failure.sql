-- The same claim cannot complete what it failed, nor fail what it completed.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a');
select is(spec.complete('a', p_claim_no => 1), 'already', 'its failure is recorded');
select is((spec.task('a')).status, 'queued', 'and stands');
select spec.complete('b', '1');
select is(spec.fail('b'), 'already', 'its completion is recorded');
select is((select (t.status, t.output, t.error_message)::text from spec.task('b') t), '(completed,1,)', 'and stands');

select * from finish();
rollback;
