-- A slug is a letter or underscore, then letters, digits and underscores, at most 128 characters, and not the word `run`.
begin;
\ir ../support/fixtures.sql
select plan(14);

select is(pgflow.is_valid_slug(c.slug), c.valid, format('slug %s is %s', to_json(left(c.slug, 20)), case when c.valid then 'valid' else 'refused' end))
from (values
  ('greet', true), ('_private', true), ('Greet_2', true), ('a', true), (repeat('a', 128), true), ('run_', true),
  (null, false), ('', false), ('2fast', false), ('a-b', false), ('a b', false), (repeat('a', 129), false), ('run', false), (E'greet\n', false)
) as c (slug, valid);

select * from finish();
rollback;
