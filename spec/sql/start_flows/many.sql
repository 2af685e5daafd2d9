-- One call starts a run for each input, in their order, with the same rules as start_flow.
begin;
\ir ../support/fixtures.sql
select plan(9);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
create temp table started as select * from pgflow.start_flows('greet', array['1', '{"n": 2}', '3']::jsonb[]) with ordinality;
select is((select array_agg(input order by ordinality) from started), array['1', '{"n": 2}', '3']::jsonb[], 'in the order of the inputs');
select is((select count(distinct run_id) from started), 3::bigint, 'three runs');
select is((select array_agg(distinct (status, remaining_steps, flow_slug, started_as)::text) from started), '{"(started,2,greet,greet)"}', 'as start_flow starts them');
select is(spec.messages('greet'), 3::bigint, 'a message for each');
select is((select count(*) from pgflow.step_states s where s.status = 'started'), 3::bigint, 'their first steps are started');
select is((select count(*) from pgflow.step_states s), 6::bigint, 'each has its steps');
select is_empty($$ select * from pgflow.start_flows('greet', '{}') $$, 'no input, no run');
select throws_ok($$ select pgflow.start_flows('greet', null) $$, '22023', 'the inputs are null', 'null is not an array of inputs');
select throws_ok($$ select pgflow.start_flows('nobody', array['1']::jsonb[]) $$, '23503', 'there is no flow or alias ''nobody''', 'as of one');

select * from finish();
rollback;
