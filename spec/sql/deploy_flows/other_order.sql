-- The same steps in another order are refused with what helps: a fixed order, not a new slug.
begin;
\ir ../support/fixtures.sql
select plan(3);

create function spec.told(variadic p_steps jsonb[]) returns text language sql as $$
  select format('%s: %s; %s', d.status, d.message, cardinality(d.differences)) from spec.deploy_registry(array[spec.flow('greet', p_steps)], p_generation => 2) d;
$$;
select spec.deploy('greet', spec.step('a'), spec.step('b'), spec.step('c', '{a,b}'));
select is(spec.told(spec.step('b'), spec.step('a'), spec.step('c', '{b,a}')),
  'shape_mismatch: the same steps in another order: define them in a fixed order; a loop over pairs() has none; 2', 'reordered');
select is(spec.told(spec.step('b'), spec.map('a'), spec.step('c', '{b,a}')),
  'shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug; 3', 'and changed');
select is(spec.told(spec.step('b'), spec.step('a')),
  'shape_mismatch: the shape of a deployed flow cannot change: give the new version its own slug; 4', 'and fewer');

select * from finish();
rollback;
