-- Events that cannot be sent cost neither a start nor a result; the last failure is kept for doctor.
begin;
\ir ../support/fixtures.sql
select plan(8);

create schema realtime;
create table realtime.messages (payload jsonb, inserted_at timestamptz not null default now()) partition by range (inserted_at);
create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
language plpgsql as $$ begin insert into realtime.messages (payload) values (payload); end; $$;

select spec.deploy('orders', spec.step('one', p_options => '{"maxAttempts": 1}'), spec.step('two', array['one'], p_options => '{"maxAttempts": 1}'));
select lives_ok($$ select spec.start('orders') $$, 'a run starts without a partition for its events');
select spec.claim_all('orders');
select is(spec.complete('one'), 'done', 'a result is recorded');
select is((spec.state('two')).status, 'started', 'and the run goes on');
select is((select message from pgflow.event_failures), 'no partition of relation "messages" found for row (SQLSTATE 23514)', 'the failure is kept');
select ok((select failed_at between now() and clock_timestamp() from pgflow.event_failures), 'with its time');

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
language plpgsql as $$ begin assert false, 'never'; end; $$;
update pgflow.event_failures set failed_at = now() - interval '2 minutes';
select spec.claim_all('orders');
select is(spec.fail('two', 'over'), 'done', 'a failure is recorded where an assertion fails');
select is((select message from pgflow.event_failures), 'never (SQLSTATE P0004)', 'which is kept too');

create table realtime.messages_default partition of realtime.messages default;
create or replace function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
language plpgsql as $$ begin insert into realtime.messages (payload) values (payload); end; $$;
select spec.start('orders', p_run => 2);
select is((select count(*) from realtime.messages), 2::bigint, 'events are sent again as soon as they can be');

select * from finish();
rollback;
