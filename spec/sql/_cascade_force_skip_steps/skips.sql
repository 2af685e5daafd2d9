-- A step is skipped by hand with everything that depends on it; their tasks and messages go; the run completes once nothing is left.
begin;
\ir ../support/fixtures.sql
select plan(11);

select spec.deploy('greet', spec.map('a'), spec.step('b', '{a}'), spec.step('c'), spec.step('d', '{b,c}'), spec.step('e', '{c}'));
select spec.start('greet', '[1, 2]');
select spec.claim('greet', 1);
select is(pgflow._cascade_force_skip_steps(spec.run(), 'a', 'by hand'), 3, 'the step and two behind it');
select is(spec.states(), '{"a": "skipped", "b": "skipped", "c": "started", "d": "skipped", "e": "created"}', 'the states');
select is((select array_agg(s.skip_reason order by s.step_slug) from pgflow.step_states s where s.status = 'skipped'), '{by hand,dependency_skipped,dependency_skipped}', 'the reasons');
select is(spec.tasks('a'), '{skipped,skipped}', 'its tasks');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '1 2', 'their messages');
select is((spec.run_row()).remaining_steps, 2, 'the run counts');
select is(pgflow._cascade_force_skip_steps(spec.run(), 'a', 'by hand'), 0, 'a repeated call');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');
select pgflow._cascade_force_skip_steps(spec.run(), 'c', 'by hand');
select is((select (r.status, r.output)::text from spec.run_row() r), '(completed,)', 'the run has ended');
select is(pgflow._cascade_force_skip_steps(spec.run(), 'c', 'by hand'), 0, 'an ended run');
select throws_ok(format('select pgflow._cascade_force_skip_steps(%L, ''a'', ''x'')', spec.run(9)), 'P0001', 'Run not found: ' || spec.run(9), 'an unknown run');

select * from finish();
rollback;
