-- A step gets the next index, the default queue and modes, and no options of its own.
begin;
\ir ../support/fixtures.sql
select plan(5);

select pgflow.create_flow('Greet');
select is(
  (select (s.step_slug, s.step_type, s.step_index, s.deps_count, s.queue_name, s.when_unmet, s.when_exhausted)::text from pgflow.add_step('Greet', 'first') s),
  '(first,single,0,0,greet,skip,fail)', 'the first step'
);
select is(
  (select (s.step_slug, s.step_index, s.deps_count)::text from pgflow.add_step('Greet', 'second', array['first']) s), '(second,1,1)', 'the second step'
);
select is((select count(*) from pgflow.deps where dep_slug = 'first' and step_slug = 'second'), 1::bigint, 'its edge is stored');
select is((select num_nulls(s.opt_max_attempts, s.opt_base_delay, s.opt_timeout, s.opt_start_delay) from pgflow.steps s where step_slug = 'first'), 4, 'options stay null');
select is((select s.step_type from pgflow.add_step('Greet', 'third', step_type => null) s), 'single', 'a null type is single');

select * from finish();
rollback;
