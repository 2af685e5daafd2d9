-- F25: false, 0, "", null, [] and {} are kept exactly: as output, as a dependency's input and in the run's output.
begin;
\ir ../support/fixtures.sql
select plan(32);

select spec.deploy('echo', spec.step('a'), spec.step('b', '{a}'));
create temp table values_to_keep (n int, v jsonb);
insert into values_to_keep values (1, 'false'), (2, '0'), (3, '""'), (4, 'null'), (5, '[]'), (6, '{}'), (7, '9007199254740993'), (8, '-0.10');
select spec.start('echo', v, n) from values_to_keep;
select spec.claim_all('echo');
select spec.complete('a', v, 0, n) from values_to_keep;
select is((spec.task('a', 0, n)).output, v, format('%s: the task''s output', v)) from values_to_keep;
select is((spec.state('a', n)).output, v, format('%s: the step''s output', v)) from values_to_keep;
create temp table claimed as select * from pgflow.claim_tasks(spec.worker(), 1, 'echo', 100) where kind = 'task';
select is(c.input::jsonb, jsonb_build_object('a', v), format('%s: the dependent''s input', v)) from values_to_keep join claimed c on c.run_id = spec.run(n);
select spec.complete('b', v, 0, n) from values_to_keep;
select is((spec.run_row(n)).output, jsonb_build_object('b', v), format('%s: the run''s output', v)) from values_to_keep;

select * from finish();
rollback;
