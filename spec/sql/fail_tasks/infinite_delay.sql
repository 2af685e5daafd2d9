-- A delay that is no number or endless hides a task for no longer than any other: NaN is the backoff, the rest is cut to 24 hours.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet', p_run => n) from generate_series(1, 3) n;
select spec.claim_all('greet');
select is(spec.fail('a', p_delay => 'Infinity'), 'done', 'Infinity is taken');
select cmp_ok(spec.hidden_s_of('a'), '<=', 86400::numeric, 'as a day');
select is(spec.fail('a', p_run => 2, p_delay => 'NaN'), 'done', 'NaN is taken');
select cmp_ok(spec.hidden_s_of('a', 0, 2), '<=', 10::numeric, 'as the backoff');
select is(spec.fail('a', p_run => 3, p_delay => 1e20), 'done', 'a number with twenty zeros is taken');
select cmp_ok(spec.hidden_s_of('a', 0, 3), '<=', 86400::numeric, 'as a day');

select * from finish();
rollback;
