-- Only in a development database is a flow made anew with its runs gone, and never one that a worker deployed.
begin;
\ir ../support/fixtures.sql
select plan(10);

create temp table shapes as select
  spec.flow('greet', array[spec.step('a')]) -> 'shape' as one, spec.flow('greet', array[spec.step('b')]) -> 'shape' as two;
select pgflow.ensure_flow_compiled('greet', one) from shapes;
select spec.deploy('other', spec.step('a'));
select spec.start('greet');
select spec.start('other', p_run => 2);
update pgflow.settings set development = true;
select is(pgflow.ensure_flow_compiled('greet', two),
  '{"status": "recompiled", "differences": ["Step at index 0: slug differs ''b'' vs ''a''"]}', 'recompiled') from shapes;
select is(pgflow._get_flow_shape('greet') #>> '{steps,0,slug}', 'b', 'the new shape');
select is((select array_agg(run_id) from pgflow.runs), array[spec.run(2)], 'its runs are gone, the others are not');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '0 0', 'its messages are deleted, archived ones too, its queue is there');
select lives_ok($$ select spec.start('greet') $$, 'it can be started');
select is(pgflow.ensure_flow_compiled('other', two) ->> 'status', 'mismatch', 'a deployed flow') from shapes;
select is((spec.run_row(2)).status, 'started', 'keeps its runs');
select is(pgflow.ensure_flow_compiled('other', one) ->> 'status', 'verified', 'its own shape') from shapes;
select is((select array_agg(coalesce(to_flow_slug, '-') order by activation_id) from pgflow.alias_activations where flow_alias = 'greet'), '{greet}', 'the history begins anew');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
