-- The database refuses to change a task's queue (I4).
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select throws_ok($$ update pgflow.step_tasks set queue_name = 'elsewhere' $$, '23514', null, 'a change is refused');
select lives_ok($$ update pgflow.step_tasks set queue_name = queue_name $$, 'the same value is none');
select is((spec.task('a')).queue_name, 'greet', 'it is what it was');

select * from finish();
rollback;
