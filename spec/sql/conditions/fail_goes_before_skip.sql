-- Where one ready step fails and another is skipped, the first failing one by step_index ends the run; the others stay as they are.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_only_if => '{"x": 1}'), spec.step('b', p_only_if => '{"x": 1}', p_when_unmet => 'fail'), spec.step('c', p_only_if => '{"x": 1}', p_when_unmet => 'fail'));
select spec.start('greet');
select is(spec.states(), '{"a": "created", "b": "failed", "c": "created"}'::jsonb, 'the states');
select is((spec.run_row()).error_step_slug, 'b', 'the run names it');

select * from finish();
rollback;
