-- Only the exact slug counts, and nobody is deleted along with it: not a version of the same alias, nor a flow of another case.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy_registry(array[spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => true), spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet')]);
select pgflow.delete_flow_and_data('GREET_V2');
select pgflow.delete_flow_and_data('greet');
select is((select count(*) from pgflow.flows), 2::bigint, 'neither another case nor an alias');
select pgflow.delete_flow_and_data('greet_v2');
select is((select active_flow_slug from pgflow.flow_aliases), null, 'the alias is left without an active version');
select results_eq('select from_flow_slug, to_flow_slug from pgflow.alias_activations order by activation_id', $$ values (null, 'greet_v2'), ('greet_v2', null) $$, 'its history tells');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
