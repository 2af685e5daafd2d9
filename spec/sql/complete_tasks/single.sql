-- Completing a single step stores its output, archives its message and starts what waits for it.
begin;
\ir ../support/fixtures.sql
select plan(8);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet');
select spec.claim_all('greet');
select is(spec.complete('a', '{"x": 1}'), 'done', 'the answer');
select is((select (t.status, t.output, t.completed_at is not null)::text from spec.task('a') t), '(completed,"{""x"": 1}",t)', 'the task');
select is((select (s.status, s.output, s.remaining_tasks, s.completed_at is not null)::text from spec.state('a') s), '(completed,"{""x"": 1}",0,t)', 'the step');
select is((select (s.status, s.remaining_deps, s.remaining_tasks)::text from spec.state('b') s), '(started,0,1)', 'its dependent is started');
select is(spec.messages('greet') || ' ' || spec.archived('greet'), '1 1', 'the message is archived and another one sent');
select is((spec.run_row()).remaining_steps, 1, 'the run has one step left');
select spec.claim_all('greet');
select spec.complete('b', '"end"');
select is((select (r.status, r.output, r.remaining_steps, r.completed_at is not null)::text from spec.run_row() r), '(completed,"{""b"": ""end""}",0,t)', 'the run is completed');
select is(spec.messages('greet'), 0::bigint, 'its queue is empty');

select * from finish();
rollback;
