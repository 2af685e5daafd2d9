-- What functions take and return has types that are the owner's: whoever may call a function needs no right to them.
begin;
\ir ../support/fixtures.sql
select plan(2);

create temp view types as
  select t.typname, t.typacl, t.typowner from pg_type t join pg_class c on c.oid = t.typrelid
  where t.typnamespace = 'pgflow'::regnamespace and c.relkind = 'c';
select ok((select count(*) from types) > 0, 'there are some');
select is_empty(
  $$ select t.typname, a.* from types t cross join aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a where a.grantee <> t.typowner $$,
  'only the owner may use them'
);

select * from finish();
rollback;
