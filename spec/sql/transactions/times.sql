-- What the completing statement writes bears the time of that statement, not that of the transaction's begin: the handler's work lies
-- between.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('bank', spec.step('transfer'));
select spec.start('bank');
select spec.claim('bank');
create temp table opened as select spec.open('transfer', 60000) as token;
select pg_sleep(0.05);
create temp table before as select clock_timestamp() as at;
select pgflow.complete_transaction(o.token, spec.run(), 'transfer', 0, spec.claim_no('transfer'), '1') from opened o;
create temp table after as select clock_timestamp() as at;

create temp table times as
select (spec.task('transfer', 0)).completed_at as of_task,
  (select s.completed_at from pgflow.step_states s where s.run_id = spec.run()) as of_step,
  (select r.completed_at from pgflow.runs r where r.run_id = spec.run()) as of_run;

select ok(t.of_task > now() + interval '50 ms', 'the task is not completed when the transaction began') from times t;
select ok(t.of_task between b.at and a.at, 'but when the statement was sent') from times t, before b, after a;
select is(t.of_step, t.of_task, 'and with it its step') from times t;
select is(t.of_run, t.of_task, 'and the run') from times t;
select ok((spec.task('transfer', 0)).started_at <= t.of_task, 'after it was started') from times t;
select is((select r.status from pgflow.runs r where r.run_id = spec.run()), 'completed', 'which is at its end');

select * from finish();
rollback;
