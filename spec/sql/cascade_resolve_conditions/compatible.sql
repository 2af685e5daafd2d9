-- A run whose rows were changed by hand moves on: conditions, empty maps and starts alike. A run that is up to date is left as it is.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}', p_only_if => '{"a": 1}'), spec.step('c', '{a}'), spec.step('d', '{a}', p_only_if => '{"a": 1}', p_when_unmet => 'fail'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
create temp table before as select spec.runtime() as r;
select is(pgflow.cascade_resolve_conditions(spec.run()), true, 'it may go on');
select is(spec.runtime(), (select r from before), 'nothing to do');
update pgflow.step_states set remaining_deps = 0 where step_slug in ('b', 'c');
select is(pgflow.cascade_resolve_conditions(spec.run()), true, 'it may still go on');
select is(spec.states(), '{"a": "started", "b": "skipped", "c": "started", "d": "created"}', 'what was ready has moved');
update pgflow.step_states set remaining_deps = 0 where step_slug = 'd';
select is(pgflow.cascade_resolve_conditions(spec.run(2)), false, 'it has failed');
select is((spec.run_row(2)).status || ' ' || spec.messages('greet'), 'failed 2', 'with its messages');
select is(pgflow.cascade_resolve_conditions(spec.run(9)), null, 'an unknown run');

select * from finish();
rollback;
