-- The n-th retry waits base_delay * 2^n seconds, rounded down.
begin;
\ir ../support/fixtures.sql
select plan(6);

select is(pgflow.calculate_retry_delay(c.base, c.attempts), c.seconds, format('base %s, attempt %s', c.base, c.attempts))
from (values (5, 1, 10), (5, 2, 20), (5, 3, 40), (1, 10, 1024), (0, 5, 0), (1.3, 1, 2)) as c (base, attempts, seconds);

select * from finish();
rollback;
