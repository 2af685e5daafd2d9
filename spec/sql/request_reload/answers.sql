-- Workers learn a request with their heartbeat until they answer it.
begin;
\ir ../support/fixtures.sql
select plan(10);

create function spec.asked() returns boolean language sql as $$
  select h.reload_request is not null from pgflow.worker_heartbeat(spec.worker(), '{}', '{}', '{}', '{}', null) h;
$$;
create function spec.answer() returns text language sql as $$
  select concat_ws(' ', a.answer, a.generation, a.reason) from pgflow.reload_answers(array[spec.worker()], (select max(w.reload_request) from pgflow.workers w)) a;
$$;
select spec.deploy('one', spec.step('a'));
select is(spec.asked(), false, 'nobody asked');
select results_eq($$ select r.worker_id, r.queue_name from pgflow.request_reload('{one}') r $$, $$ values (spec.worker(), 'one') $$, 'one worker of the queue');
select is(spec.asked(), true, 'it learns it');
select pgflow.report_reload(spec.worker(), 'boom', 0);
select is(spec.answer(), 'waiting 1 its last attempt failed: boom', 'an attempt that is repeated is no answer');
select is(spec.asked(), true, 'it is asked until it answers');
select pgflow.report_reload(spec.worker(), 'boom', (select reload_request from pgflow.workers));
select is(spec.answer(), 'refused 1 boom', 'refused');
select is(spec.asked(), false, 'it is not asked twice');
select pgflow.request_reload(null);
update pgflow.workers set stopped_at = now();
select is(spec.answer(), 'stopped 1 boom', 'stopped before it could answer');
select is_empty($$ select pgflow.request_reload('{one}') $$, 'it is asked no more');
select throws_ok($$ select pgflow.request_reload('{one,two}') $$, '42704', 'there is no queue two', 'an unknown queue');

select * from finish();
rollback;
