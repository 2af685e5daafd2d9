-- Options, conditions and modes are stored as given.
begin;
\ir ../support/fixtures.sql
select plan(4);

select pgflow.create_flow('greet');
select is(
  (select (s.step_type, s.opt_max_attempts, s.opt_base_delay, s.opt_timeout, s.opt_start_delay, s.required_input_pattern, s.forbidden_input_pattern,
    s.when_unmet, s.when_exhausted)::text
  from pgflow.add_step('greet', 'each', '{}', 4, 2, 30, 9, 'map', '{"a":1}', '{"b":2}', 'fail', 'skip-cascade') s),
  '(map,4,2,30,9,"{""a"": 1}","{""b"": 2}",fail,skip-cascade)', 'all are there'
);
select throws_ok($$ select pgflow.add_step('greet', 'x', required_input_pattern => '[1]') $$, '23514', null, 'a pattern is an object');
select throws_ok($$ select pgflow.add_step('greet', 'x', when_unmet => 'retry') $$, '23514', null, 'an unknown mode is refused');
select throws_ok($$ select pgflow.add_step('greet', 'x', timeout => 0) $$, '23514', null, 'a timeout is positive');

select * from finish();
rollback;
