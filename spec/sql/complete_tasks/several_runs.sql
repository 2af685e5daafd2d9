-- Several runs of several flows, on several queues, in one call: each gets on alone.
begin;
\ir ../support/fixtures.sql
select plan(7);

select spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('b', '{a}')], p_routing => '{"b": "shared"}'), spec.flow('two', array[spec.map('m')], p_routing => '{"m": "shared"}')], 'shared');
select spec.start('one', p_run => n) from generate_series(1, 2) n;
select spec.start('two', '[1, 2]', 3);
select spec.deploy_registry(array[spec.flow('one', array[spec.step('a'), spec.step('b', '{a}')], p_routing => '{"b": "shared"}')], 'one', p_worker => 2);
select spec.claim_all('shared');
select is(array(select spec.claim('one', p_worker => 2)), '{a:0,a:0}', 'both workers claim');
select is(spec.complete_batch('{3,2,1,3}', '{m,a,a,m}', '{1,0,0,0}', array['"y"', '22', '11', '"x"']::jsonb[]), '{done,done,done,done}', 'the answers');
select is((spec.run_row(3)).output, '{"m": ["x", "y"]}'::jsonb, 'the map''s run is completed');
select is(array[(spec.state('a', 1)).output, (spec.state('a', 2)).output], array['11', '22']::jsonb[], 'each run has its own output');
select is(spec.states(2), '{"a": "completed", "b": "started"}'::jsonb, 'and gets on');
select is(spec.messages('one') || ' ' || spec.messages('shared'), '0 2', 'messages left');
select is(spec.archived('one') || ' ' || spec.archived('shared'), '2 2', 'messages archived');

select * from finish();
rollback;
