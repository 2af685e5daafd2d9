-- Unknown, duplicate and surplus dependencies are refused.
begin;
\ir ../support/fixtures.sql
select plan(6);

select pgflow.create_flow('greet');
select pgflow.add_step('greet', 'a');
select pgflow.add_step('greet', 'b');
select throws_ok($$ select pgflow.add_step('greet', 'm', array['a', 'b'], step_type => 'map') $$,
  'P0001', 'Map step "m" can have at most one dependency, but 2 were provided: a, b', 'a map reads one array');
select throws_ok($$ select pgflow.add_step('greet', 'c', array['a', 'a']) $$, '22023', null, 'a dependency named twice is refused');
select throws_ok($$ select pgflow.add_step('greet', 'c', array['nowhere']) $$, '23503', null, 'an unknown dependency is a foreign key violation');
select throws_ok($$ select pgflow.add_step('nowhere', 'c') $$, '23503', null, 'so is an unknown flow');
select throws_ok($$ select pgflow.add_step('greet', 'c', array['c']) $$, '23514', null, 'a step cannot depend on itself');
select is((select count(*) from pgflow.steps), 2::bigint, 'none of them left a step behind');

select * from finish();
rollback;
