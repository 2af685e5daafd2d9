-- The events of a run with a retry, a skip, an empty map and a failure, in order, with their payloads' keys.
begin;
\ir ../support/fixtures.sql
select plan(5);

create schema realtime;
create table realtime.sent (n int generated always as identity, payload jsonb, event text, topic text, private boolean);
create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
language sql as $$ insert into realtime.sent (payload, event, topic, private) values (payload, event, topic, private); $$;

select spec.deploy('orders',
  spec.step('one', p_options => '{"maxAttempts": 2}'),
  spec.map('none', 'one'),
  spec.step('unmet', array['none'], p_only_if => '{"none": [1]}'),
  spec.step('tried', array['unmet'], p_options => '{"maxAttempts": 1}', p_when_exhausted => 'skip'),
  spec.step('fatal', array['tried'], p_options => '{"maxAttempts": 1}'));
select spec.start('orders');
select spec.claim_all('orders');
select spec.fail('one', 'again please', p_delay => 0);
select spec.make_visible('orders');
select spec.claim_all('orders');
select spec.complete('one', '[]');
select spec.claim_all('orders');
select spec.fail('tried');
select spec.claim_all('orders');
select spec.fail('fatal', 'no more');

select results_eq('select event from realtime.sent order by n', $$ values
  ('run:started'), ('step:one:started'), ('step:one:completed'), ('step:none:completed'), ('step:unmet:skipped'), ('step:tried:started'),
  ('step:tried:skipped'), ('step:fatal:started'), ('step:fatal:failed'), ('run:failed') $$, 'in order, none for the retry');
select results_eq($$ select event, array(select jsonb_object_keys(payload) order by 1) from realtime.sent order by n $$, $$ values
  ('run:started', '{event_type,flow_slug,input,remaining_steps,run_id,started_at,status}'::text[]),
  ('step:one:started', '{event_type,remaining_deps,remaining_tasks,run_id,started_at,status,step_slug}'),
  ('step:one:completed', '{completed_at,event_type,output,run_id,status,step_slug}'),
  ('step:none:completed', '{completed_at,event_type,output,remaining_deps,remaining_tasks,run_id,started_at,status,step_slug}'),
  ('step:unmet:skipped', '{event_type,flow_slug,run_id,skip_reason,skipped_at,status,step_slug}'),
  ('step:tried:started', '{event_type,remaining_deps,remaining_tasks,run_id,started_at,status,step_slug}'),
  ('step:tried:skipped', '{error_message,event_type,flow_slug,run_id,skip_reason,skipped_at,status,step_slug}'),
  ('step:fatal:started', '{event_type,remaining_deps,remaining_tasks,run_id,started_at,status,step_slug}'),
  ('step:fatal:failed', '{error_message,event_type,failed_at,run_id,status,step_slug}'),
  ('run:failed', '{error_message,event_type,failed_at,flow_slug,run_id,status}') $$, 'with the listed keys');
select results_eq('select distinct topic, private from realtime.sent', $$ values ('pgflow:run:' || spec.run(), false) $$, 'under the run''s topic, public');
select is((select payload ->> 'event_type' from realtime.sent where event = 'step:fatal:failed'), 'step:failed', 'event_type leaves the slug out');

select spec.deploy('short', spec.step('only'));
select spec.start('short', p_run => 2);
select spec.claim_all('short');
delete from realtime.sent;
select spec.complete('only', '{"a": 1}', p_run => 2);
select results_eq($$ select event, payload -> 'output' from realtime.sent order by n $$,
  $$ values ('step:only:completed', '{"a": 1}'::jsonb), ('run:completed', '{"only": {"a": 1}}') $$, 'a run completes behind its steps');

select * from finish();
rollback;
