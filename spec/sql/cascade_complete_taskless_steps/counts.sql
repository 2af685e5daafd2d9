-- It counts the empty maps that it completed.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('greet', spec.step('a'), spec.map('b', 'a'), spec.map('c', 'b'), spec.step('d', '{c}'));
select spec.start('greet');
select is(pgflow.cascade_complete_taskless_steps(spec.run()), 0, 'none');
update pgflow.step_states set remaining_deps = 0, initial_tasks = 0 where step_slug = 'b';
select is(pgflow.cascade_complete_taskless_steps(spec.run()), 2, 'two, one behind the other');
select is(spec.states(), '{"a": "started", "b": "completed", "c": "completed", "d": "started"}', 'what waited has started');
select is(pgflow.cascade_complete_taskless_steps(spec.run()), 0, 'once');

select * from finish();
rollback;
