-- An SQL NULL counts as null: the dependents see the key, and so does the run.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.complete('a', null), 'done', 'the answer');
select is((select input::jsonb from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'task'), '{"a": null}'::jsonb, 'the dependent''s input');
select spec.complete('b', null);
select is((spec.run_row()).output, '{"b": null}'::jsonb, 'the run''s output');

select * from finish();
rollback;
