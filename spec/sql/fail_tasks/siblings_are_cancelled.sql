-- F2: a map of 3 with one attempt each; element 0 fails while 1 is started and 2 queued.
begin;
\ir ../support/fixtures.sql
select plan(10);

select spec.deploy('prices', spec.map('price', p_options => '{"maxAttempts": 1}'), spec.step('done'), spec.step('busy'));
select spec.start('prices', '[1, 2, 3]');
select spec.claim_all('prices', 2);
update pgmq.q_prices set vt = clock_timestamp() + interval '1 hour' where msg_id = (spec.task('price', 2)).message_id;
select spec.claim_all('prices');
select spec.complete('done', '1');
select is(spec.tasks('price'), '{started,started,queued}', 'as in the fault');
select spec.fail('price', 'boom', 0);
select is(spec.tasks('price'), '{failed,cancelled,cancelled}', 'the map''s tasks');
select is((spec.task('busy')).status || ' ' || (spec.task('done')).status, 'cancelled completed', 'the other steps'' tasks');
select is(spec.states(), '{"price": "failed", "done": "completed", "busy": "started"}'::jsonb, 'the other steps keep the state they had');
select is(spec.messages('prices'), 0::bigint, 'the queue is empty');
select is(spec.archived('prices'), 5::bigint, 'every message is archived');
select is_empty('select spec.claim(''prices'')', 'nothing can be claimed');
select is(spec.complete('price', '1', 1), 'stale', 'a late result is refused');
select is(spec.fail('price', 'late', 1), 'stale', 'a late failure too');
select is((spec.task('price', 1)).error_message, null, 'and leaves nothing');

select * from finish();
rollback;
