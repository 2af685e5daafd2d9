-- A given delay wins over the backoff; 0 and fractions count, and so does a long one, up to 24 hours.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy('greet', spec.step('a'));
create temp table delays (n int, delay float8, low numeric, high numeric);
insert into delays values (1, 0, -2, 0), (2, 0.75, -1, 0.75), (3, 90.5, 88, 90.5), (4, 604800, 86398, 86400), (5, -3, -2, 0);
select spec.start('greet', p_run => n) from delays;
select spec.claim_all('greet');
select spec.fail('a', p_run => n, p_delay => delay) from delays;
select cmp_ok(spec.hidden_s_of('a', 0, n), '>', low, format('%s s: not earlier', delay)) from delays where n in (3, 4);
select cmp_ok(spec.hidden_s_of('a', 0, n), '<=', high, format('%s s: not later', delay)) from delays;

select * from finish();
rollback;
