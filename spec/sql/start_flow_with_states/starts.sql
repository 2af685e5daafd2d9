-- start_flow and what it left behind, in one call.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
create temp table answer as select pgflow.start_flow_with_states('greet', '{"who": "ada"}', spec.run()) as a;
select is((select a from answer), pgflow.get_run_with_states(spec.run()), 'the answer');
select is((select jsonb_path_query_array(a, '$.steps[*].status') from answer), '["started", "created"]', 'the steps have moved');
select is((select a #>> '{run,input,who}' from answer), 'ada', 'the input');
select matches((select pgflow.start_flow_with_states('greet', '1') #>> '{run,run_id}'), '^[0-9a-f-]{36}$', 'a run id of its own');
select throws_ok($$ select pgflow.start_flow_with_states('nobody', '1') $$, '23503', null, 'errors are those of start_flow');

select * from finish();
rollback;
