-- skip-cascade: all that depends on it is skipped too.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a', p_only_if => '{"x": 1}', p_when_unmet => 'skip-cascade'), spec.step('beside'), spec.step('b', '{a,beside}'), spec.map('m', 'b'));
select spec.start('greet');
select is(spec.states(), '{"a": "skipped", "beside": "started", "b": "skipped", "m": "skipped"}'::jsonb, 'the states');
select results_eq('select step_slug, skip_reason from pgflow.step_states where status = ''skipped'' order by 1',
  $$ values ('a', 'condition_unmet'), ('b', 'dependency_skipped'), ('m', 'dependency_skipped') $$, 'the reasons');
select is((spec.run_row()).remaining_steps, 1, 'one step is left');

select * from finish();
rollback;
