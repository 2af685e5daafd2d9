-- A message id that is given twice is claimed and answered once.
begin;
\ir ../support/fixtures.sql
select plan(3);

select pgflow.create_flow('greet'), pgflow.add_step('greet', 'a'), pgflow.add_step('greet', 'b');
insert into pgflow.workers (worker_id, queue_name, function_name) values (spec.worker(), 'greet', 'edge');
select pgflow.start_flow('greet', '{}', spec.run());
create function spec.message(p_step text) returns bigint language sql as $$ select (spec.task(p_step)).message_id; $$;
select set_eq(
  $$ select s.step_slug from pgflow.start_tasks('greet', array[spec.message('b'), spec.message('a'), spec.message('b'), spec.message('b')], spec.worker()) s $$,
  $$ values ('b'), ('a') $$, 'one record for each task'
);
select is((spec.task('b')).attempts_count, 1, 'one attempt');
select is_empty($$ select * from pgflow.start_tasks('greet', array[spec.message('b'), spec.message('b')], spec.worker()) $$, 'nothing the second time');

select * from finish();
rollback;
