-- F17: the delay is finite and at most 24 hours, whatever the attempt and the base.
begin;
\ir ../support/fixtures.sql
select plan(6);

select is(pgflow.calculate_retry_delay(c.base, c.attempts), 86400, format('base %s, attempt %s', c.base, c.attempts))
from (values (5, 310), (5, 2147483647), (2147483647, 1), (2147483647, 2147483647), (1, 17), (86400, 1)) as c (base, attempts);

select * from finish();
rollback;
