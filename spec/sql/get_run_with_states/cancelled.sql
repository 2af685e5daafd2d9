-- To pgflow's clients, which know no other end, a cancelled run has failed; SQL keeps what it is. In its events too.
begin;
\ir ../support/fixtures.sql
select plan(7);

create schema realtime;
create table spec.sent (n serial, event text, payload jsonb);
create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void language sql as $$
  insert into spec.sent (event, payload) values (event, payload)
$$;
select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.start('greet', p_run => 2);
select pgflow.cancel_run(spec.run(), 'no longer needed');
select pgflow.cancel_run(spec.run(2));
create temp table answer as select pgflow.get_run_with_states(spec.run()) -> 'run' as run;
select is((select run ->> 'status' from answer), 'failed', 'the status');
select is((select run ->> 'error_message' from answer), 'no longer needed', 'the reason is its error');
select is((select run -> 'failed_at' from answer), (select run -> 'cancelled_at' from answer), 'when');
select is(pgflow.get_run_with_states(spec.run(2)) #>> '{run,error_message}', 'the run was cancelled', 'without a reason');
select is((select status from pgflow.run_status where run_id = spec.run()), 'cancelled', 'the views keep it');
select is((select array_agg(event order by n) from spec.sent where event ~ '^run'), '{run:started,run:started,run:failed,run:failed}', 'the events');
select is((select payload from spec.sent where event = 'run:failed' order by n limit 1), (select jsonb_build_object(
  'event_type', 'run:failed', 'run_id', r.run_id, 'flow_slug', 'greet', 'status', 'failed', 'failed_at', r.cancelled_at, 'error_message', 'no longer needed'
) from pgflow.runs r where r.run_id = spec.run()), 'with the keys of a failure');

select * from finish();
rollback;
