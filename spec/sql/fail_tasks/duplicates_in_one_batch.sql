-- The same task twice in one call: the first counts.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.fail_batch('{1,1}', '{a,a}', '{0,0}', '{first,second}', '{10,500}'), '{done,already}', 'the answers');
select is((select (t.attempts_count, t.error_message)::text from spec.task('a') t), '(1,first)', 'the task');
select ok(spec.about(spec.hidden_s_of('a'), 10), 'the first delay');

select * from finish();
rollback;
