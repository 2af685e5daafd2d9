-- The stored shape, by step_index, without options; patterns are wrapped.
begin;
\ir ../support/fixtures.sql
select plan(2);

select pgflow.create_flow('greet');
select pgflow.add_step('greet', 'z', max_attempts => 9);
select pgflow.add_step('greet', 'a');
select pgflow.add_step('greet', 'both', array['z', 'a'], required_input_pattern => '{"z": 1}', when_unmet => 'fail', when_exhausted => 'skip');
select pgflow.add_step('greet', 'each', array['a'], step_type => 'map');
select is(pgflow._get_flow_shape('greet'), '{"steps": [
  {"slug": "z", "stepType": "single", "dependencies": [], "whenUnmet": "skip", "whenExhausted": "fail",
    "requiredInputPattern": {"defined": false}, "forbiddenInputPattern": {"defined": false}},
  {"slug": "a", "stepType": "single", "dependencies": [], "whenUnmet": "skip", "whenExhausted": "fail",
    "requiredInputPattern": {"defined": false}, "forbiddenInputPattern": {"defined": false}},
  {"slug": "both", "stepType": "single", "dependencies": ["a", "z"], "whenUnmet": "fail", "whenExhausted": "skip",
    "requiredInputPattern": {"defined": true, "value": {"z": 1}}, "forbiddenInputPattern": {"defined": false}},
  {"slug": "each", "stepType": "map", "dependencies": ["a"], "whenUnmet": "skip", "whenExhausted": "fail",
    "requiredInputPattern": {"defined": false}, "forbiddenInputPattern": {"defined": false}}
]}'::jsonb, 'the shape as stored');
select is(pgflow._get_flow_shape('nowhere'), '{"steps": []}'::jsonb, 'an unknown flow has no steps');

select * from finish();
rollback;
