-- A delay of less than a second is not rounded away.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', p_delay => 0.9);
select ok(spec.hidden_s_of('a') > 0 and spec.hidden_s_of('a') <= 0.9, 'hidden for a part of a second');

select * from finish();
rollback;
