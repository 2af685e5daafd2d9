-- A retired alias has no active version: nothing starts under it, what runs goes on, and a deployment brings it back.
begin;
\ir ../support/fixtures.sql
select plan(11);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select is(pgflow.retire_alias('greet'), 'greet', 'the version that was active');
select is((select active_flow_slug from pgflow.flow_aliases), null, 'there is none now');
select results_eq('select from_flow_slug, to_flow_slug, worker_id from pgflow.alias_activations order by activation_id', $$ values (null, 'greet', spec.worker()), ('greet', null, null) $$, 'the history');
select throws_ok($$ select spec.start('greet', p_run => 2) $$, '55000', null, 'no start');
select is(pgflow.retire_alias('greet'), null, 'a repeated call');
select is((select count(*) from pgflow.alias_activations), 2::bigint, 'changes nothing');
select spec.claim('greet');
select is(spec.complete('a'), 'done', 'the run goes on');
select is((spec.run_row()).status, 'completed', 'to its end');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select is((select alias_status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])])), 'activated', 'a deployment');
select lives_ok($$ select spec.start('greet', p_run => 2) $$, 'brings it back');

select * from finish();
rollback;
