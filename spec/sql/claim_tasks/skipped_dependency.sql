-- A skipped dependency is absent from the input; where all are, it is {}.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a', p_only_if => '{"a": 1}'), spec.step('b', p_only_if => '{"b": 1}'), spec.step('c', '{a,b}'));
select spec.start('greet', '{"a": 1}');
select spec.claim_all('greet');
select spec.complete('a', '7');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) where kind = 'task'), '{"a": 7}'::jsonb, 'one of two');
select spec.start('greet', '{}', 2);
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) where kind = 'task'), '{}'::jsonb, 'none');

select * from finish();
rollback;
