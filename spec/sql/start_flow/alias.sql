-- An alias resolves to its active version; the run stores and returns the concrete slug.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet')]);
select is((select (r.flow_slug, r.flow_alias, r.started_as)::text from pgflow.start_flow('greet', '{}', spec.run()) r), '(greet_v1,greet,greet)', 'by alias');
select is((select (r.flow_slug, r.flow_alias, r.started_as)::text from pgflow.start_flow('greet_v1', '{}', spec.run(2)) r), '(greet_v1,greet,greet_v1)', 'by the active version''s slug');
select spec.deploy_registry(array[
  spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet'), spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true)]);
select is((select r.flow_slug from pgflow.start_flow('greet', '{}', spec.run(3)) r), 'greet_v2', 'the alias has moved');
select is((spec.run_row(1)).flow_slug, 'greet_v1', 'the earlier run has not');

select * from finish();
rollback;
