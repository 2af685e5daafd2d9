-- A delay that is no number or endless is still finite.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('greet');
select is(spec.fail('a', p_delay => 'Infinity'), 'done', 'Infinity is taken');
select ok(spec.hidden_s_of('a') < 1e10, 'and comes to an end');
select is(spec.fail('a', p_run => 2, p_delay => 'NaN'), 'done', 'NaN is taken');
select ok(spec.hidden_s_of('a', 0, 2) < 1e10, 'and comes to an end');

select * from finish();
rollback;
