-- A queue name is lower case and has at most 47 characters.
begin;
\ir ../support/fixtures.sql
select plan(8);

select is(pgflow.is_valid_queue_name(c.queue_name), c.valid, format('%s is %s', quote_nullable(left(c.queue_name, 20)), case when c.valid then 'valid' else 'refused' end))
from (values
  ('greet', true), ('greet_2', true), (repeat('q', 47), true),
  (null, false), ('', false), ('Greet', false), ('a-b', false), (repeat('q', 48), false)
) as c (queue_name, valid);

select * from finish();
rollback;
