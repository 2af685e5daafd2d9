-- A forbidden pattern skips where it is contained; both together have to hold.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a', p_unless => '{"test": true}'), spec.step('b', p_only_if => '{"vip": true}', p_unless => '{"test": true}'), spec.step('always'));
select spec.start('greet', '{}', 1);
select is(spec.states(1), '{"a": "started", "b": "skipped", "always": "started"}'::jsonb, 'neither');
select spec.start('greet', '{"vip": true}', 2);
select is(spec.states(2), '{"a": "started", "b": "started", "always": "started"}'::jsonb, 'required only');
select spec.start('greet', '{"vip": true, "test": true}', 3);
select is(spec.states(3), '{"a": "skipped", "b": "skipped", "always": "started"}'::jsonb, 'forbidden');

select * from finish();
rollback;
