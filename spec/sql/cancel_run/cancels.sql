-- A cancelled run leaves nothing to do: tasks cancelled, messages archived, late results refused.
begin;
\ir ../support/fixtures.sql
select plan(13);

select spec.deploy_registry(array[spec.flow('orders', array[spec.step('one'), spec.map('each', 'one'), spec.step('last', array['each'])], p_routing => '{"each": "mapping"}')]);
select spec.start('orders');
select spec.claim_all('orders');
select spec.complete('one', '[1, 2, 3]');
select spec.deploy_registry(array[spec.flow('orders', array[spec.step('one'), spec.map('each', 'one'), spec.step('last', array['each'])], p_routing => '{"each": "mapping"}')], 'mapping', 2);
select is(array(select spec.claim('mapping', 2, 2)), '{each:0,each:1}', 'two tasks are under way');

select is((select r.status from pgflow.cancel_run(spec.run(), 'changed my mind') r), 'cancelled', 'the run is cancelled');
select is((spec.run_row()).error_message, 'changed my mind', 'with the reason');
select isnt((spec.run_row()).cancelled_at, null, 'and the instant');
select is(spec.tasks('each'), '{cancelled,cancelled,cancelled}', 'its tasks are cancelled');
select is(spec.states(), '{"one": "completed", "each": "started", "last": "created"}', 'its steps keep their states');
select is(spec.messages('mapping'), 0::bigint, 'the messages are gone');
select is(spec.archived('mapping'), 3::bigint, 'into the archive');
select is(spec.complete('each', '1'), 'stale', 'a late result is refused');
select is(spec.fail('each', p_index => 1), 'stale', 'and a late failure');
select is((select r.error_message from pgflow.cancel_run(spec.run(), 'again') r), 'changed my mind', 'a second call changes nothing');
select is_empty($$ select * from pgflow.cancel_run(spec.run(99)) $$, 'an unknown run gives no row');
select is_empty('select * from pgflow.check_invariants(true)', 'and all is consistent');

select * from finish();
rollback;
