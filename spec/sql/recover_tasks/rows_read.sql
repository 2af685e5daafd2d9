-- What a round of recovery reads grows with the tasks that it looks at, not with what else is in the queue, without statistics too.
begin;
\ir ../support/fixtures.sql
select plan(2);

create function pg_temp.rows_read() returns bigint language sql volatile as $$
  select sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0)) from pg_stat_xact_user_tables s where s.schemaname in ('pgflow', 'pgmq');
$$;
create temp table reads (what text, rows bigint);
create function pg_temp.measure(p_what text) returns void language plpgsql volatile as $$
declare
  v_before bigint := pg_temp.rows_read();
begin
  perform from pgflow._resend_lost_messages(
    'wide', array(select (spec.run(1), 'm', n)::pgflow.task_key from generate_series(0, 299) n)
  );
  insert into reads values (p_what, pg_temp.rows_read() - v_before);
end;
$$;

analyze pgflow.flows, pgflow.steps, pgflow.deps, pgflow.runs, pgflow.step_states, pgflow.step_tasks;
select spec.deploy('wide', spec.map('m'));
select spec.start('wide', (select jsonb_agg(n) from generate_series(1, 300) n), 1);
select pg_temp.measure('alone');
select spec.start('wide', (select jsonb_agg(n) from generate_series(1, 5000) n), 2);
select pg_temp.measure('among more');
select ok((select rows from reads where what = 'alone') < 3000, format('300 tasks: %s rows', (select rows from reads where what = 'alone')));
select ok(
  (select rows from reads where what = 'among more') <= 1.2 * (select rows from reads where what = 'alone') + 20,
  format('300 tasks among 5,300: %s rows', (select rows from reads where what = 'among more'))
);

select * from finish();
rollback;
