-- What a call reads does not grow with what else is queued, where the tables were empty when they were analyzed and when the statements were planned.
begin;
\ir ../support/fixtures.sql
select plan(8);

create function pg_temp.rows_read() returns bigint language sql volatile as $$
  select sum(s.seq_tup_read + coalesce(s.idx_tup_fetch, 0)) from pg_stat_xact_user_tables s where s.schemaname in ('pgflow', 'pgmq');
$$;
-- The rows that one statement reads, by what it is called, in this round.
create temp table reads (round int, what text, rows bigint);
create function pg_temp.measure(p_round int, p_what text, p_sql text) returns void language plpgsql volatile as $$
declare
  v_before bigint := pg_temp.rows_read();
begin
  execute p_sql;
  insert into reads values (p_round, p_what, pg_temp.rows_read() - v_before);
end;
$$;
-- p_count claims of step a, as the arrays that callbacks take.
create function pg_temp.claims(p_count int, out run_ids uuid[], out step_slugs text[], out task_indexes int[], out claim_nos bigint[])
language sql volatile as $$
  select array_agg(t.run_id), array_agg(t.step_slug), array_agg(t.task_index), array_agg(t.claim_no)
  from (select * from pgflow.step_tasks t where t.status = 'started' and t.step_slug = 'a' order by t.run_id limit p_count) t;
$$;
create temp table c as select * from pg_temp.claims(0);
create function pg_temp.round(p_round int) returns void language plpgsql volatile as $$
declare
  v_calls text[] := array[
    'heartbeat', $s$ select from c, pgflow.worker_heartbeat(spec.worker(), run_ids, step_slugs, task_indexes, claim_nos) $s$,
    'complete', $s$ select from c, pgflow.complete_tasks(run_ids, step_slugs, task_indexes, claim_nos, array_fill('1'::jsonb, array[10])) $s$,
    'release', $s$ select from c, pgflow.release_tasks(run_ids, step_slugs, task_indexes, claim_nos) $s$,
    'fail', $s$ select from c, pgflow.fail_tasks(run_ids, step_slugs, task_indexes, claim_nos, array_fill('no'::text, array[10]),
      array_fill(null::float8, array[10]), array_fill(false, array[10]), array_fill(false, array[10])) $s$
  ];
begin
  perform pg_temp.measure(p_round, 'start', format('select spec.start(%L, %L, %s)', 'wide', '[1, 2]', 2000 + p_round));
  perform pg_temp.measure(p_round, 'start many', $s$
    select pgflow.start_flows('wide', array['[1, 2]', '[3]']::jsonb[], array[gen_random_uuid()::text, null]) $s$);
  perform pg_temp.measure(p_round, 'claim', $s$ select spec.claim_all('wide', 100) $s$);
  for v_n in 1 .. cardinality(v_calls) by 2 loop
    delete from c;
    insert into c select * from pg_temp.claims(10);
    perform pg_temp.measure(p_round, v_calls[v_n], v_calls[v_n + 1]);
  end loop;
  perform spec.make_visible('wide');
  perform pg_temp.measure(p_round, 'claim what is started', $s$ select spec.claim_all('wide', 100) $s$);
end;
$$;

analyze pgflow.flows, pgflow.steps, pgflow.deps, pgflow.workers, pgflow.worker_handlers, pgflow.runs, pgflow.step_states, pgflow.step_tasks;
select spec.deploy('wide', spec.step('a'), spec.step('b', array['a']), spec.step('c', array['a']), spec.step('d', array['b', 'c']), spec.map('m'));
select spec.start('wide', '[1, 2]', n) from generate_series(1, 50) n;
select pg_temp.round(0);
select spec.start('wide', '[1, 2]', n) from generate_series(51, 100) n;
select pg_temp.round(1);
select spec.start('wide', '[1, 2]', n) from generate_series(101, 1000) n;
select pg_temp.round(2);

select ok(later.rows <= 1.2 * earlier.rows + 20, format('%s: %s rows with 100 runs queued, %s with 1,000', earlier.what, earlier.rows, later.rows))
from reads earlier join reads later using (what)
where earlier.round = 1 and later.round = 2 order by earlier.what;

select * from finish();
rollback;
