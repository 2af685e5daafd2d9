-- Each kind of difference is a sentence that names the option as authors write it, and both sides.
begin;
\ir ../support/fixtures.sql
select plan(16);

create function spec.told(p_modules jsonb[], p_database jsonb[]) returns text[] language sql as $$
  select array_agg(pgflow._difference(d.place, d.part, d.given, d.stored) order by d.n)
  from pgflow._shape_differences(jsonb_build_object('steps', to_jsonb(p_modules)), jsonb_build_object('steps', to_jsonb(p_database))) d;
$$;
select is(spec.told(array[spec.step('a')], array[spec.step('a')]), null, 'none');
select is(spec.told(array[spec.step('a')], array[spec.step('a'), spec.step('b')]),
  array['Step count: in the modules 1, in the database 2', 'Step at index 1: missing in the modules (the database has ''b'')'], 'missing in the modules');
select is(spec.told(array[spec.step('a'), spec.step('b')], array[spec.step('a')]),
  array['Step count: in the modules 2, in the database 1', 'Step at index 1: missing in the database (the modules have ''b'')'], 'missing in the database');
select is(spec.told(array[spec.step('a')], array[spec.step('b')]), array['Step at index 0: slug: in the modules ''a'', in the database ''b'''], 'slug');
select is(spec.told(array[spec.map('a')], array[spec.step('a')]),
  array['Step at index 0: kind: in the modules ''map'', in the database ''single'''], 'kind');
select is(spec.told(array[spec.step('a', '{y,x}')], array[spec.step('a')]),
  array['Step at index 0: depends_on: in the modules [x, y], in the database []'], 'depends_on');
select is(spec.told(array[spec.step('a', p_only_if => '{"a": "'' vs ''"}')], array[spec.step('a')]),
  array['Step at index 0: only_if: in the modules ''{"a": "'' vs ''"}'', in the database none'], 'only_if, whatever its text holds');
select is(spec.told(array[spec.step('a')], array[spec.step('a', p_unless => '"x differs ''"')]),
  array['Step at index 0: unless: in the modules none, in the database ''"x differs ''"'''], 'unless');
select is(spec.told(array[spec.step('a', p_when_unmet => 'fail')], array[spec.step('a')]),
  array['Step at index 0: when_unmet: in the modules ''fail'', in the database ''skip'''], 'when_unmet');
select is(spec.told(array[spec.step('a', p_when_exhausted => 'skip')], array[spec.step('a')]),
  array['Step at index 0: when_exhausted: in the modules ''skip'', in the database ''fail'''], 'when_exhausted');
select is(spec.told(array[spec.map('a', p_when_element_exhausted => 'null')], array[spec.map('a')]),
  array['Step at index 0: when_element_exhausted: in the modules ''null'', in the database ''fail'''], 'when_element_exhausted');
select is(spec.told(array[spec.map('a')], array[spec.map('a', p_when_element_exhausted => 'fail')]), null, 'whose default need not be given');

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select is(pgflow._flow_differences(spec.flow('greet', array[spec.step('a'), spec.step('b')], p_routing => '{"b": "elsewhere"}'))::text,
  row('{}'::text[], array['Step b: queue: in the modules ''elsewhere'', in the database ''greet'''], false)::text, 'the queue of a step');
select is(pgflow._flow_differences(spec.flow('greet', array[spec.step('a'), spec.step('b')]))::text, row('{}'::text[], '{}'::text[], false)::text, 'equal');
select is((pgflow._flow_differences(spec.flow('greet', array[spec.step('b'), spec.step('a')]))).only_order, true, 'the order alone');
select is((pgflow._flow_differences(spec.flow('greet', array[spec.step('b'), spec.map('a')]))).only_order, false, 'more than the order');

select * from finish();
rollback;
