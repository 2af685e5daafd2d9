-- A new timeout takes effect at the next claim.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.deploy('greet', spec.step('a', p_options => '{"timeout": 500}'));
select is((spec.task('a')).claimed_timeout, 60, 'the claim that is under way keeps its own');
select spec.release('a');
select spec.claim_all('greet');
select is((spec.task('a')).claimed_timeout, 500, 'the next one has the new one');
select ok(spec.about(spec.hidden_s_of('a'), 530), 'and hides the message by it');

select * from finish();
rollback;
