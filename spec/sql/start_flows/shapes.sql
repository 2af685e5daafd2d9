-- Root maps, empty maps and conditions, each run by its own input; what is refused says which input.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('prices', spec.map('price'));
create temp table started as select * from pgflow.start_flows('prices', array['[1, 2]', '[]', '[3]']::jsonb[]) with ordinality;
select is((select array_agg(s.status order by s.ordinality) from started s), '{started,completed,started}', 'a map over nothing is completed');
select is((select array_agg(s.output order by s.ordinality) from started s), array[null, '{"price": []}', null]::jsonb[], 'with its output');
select is(spec.messages('prices'), 3::bigint, 'a message for each element');
select throws_ok(
  $$ select pgflow.start_flows('prices', array['[1]', '{"n": 1}', '2']::jsonb[]) $$, 'P0001',
  'Flow prices has root map steps but input 2 of 3 is not an array (got object)', 'which is no array'
);
select throws_ok(
  $$ select pgflow.start_flows('prices', array['[1]', jsonb_build_array(array_fill(1e131000::numeric, array[20]))]) $$, '54000', null, 'which is too large as text'
);

select spec.deploy('vips', spec.step('gift', p_only_if => '{"vip": true}'), spec.step('note'));
select pgflow.start_flows('vips', array['{"vip": true}', '{}']::jsonb[]);
select is(
  (select array_agg(s.status order by r.input desc) from pgflow.step_states s join pgflow.runs r using (run_id) where s.step_slug = 'gift'),
  '{started,skipped}', 'a condition is tested against its own run'
);

select * from finish();
rollback;
