-- An output with very many keys costs about as much as its size, not as the square of it.
begin;
\ir ../support/fixtures.sql
select plan(4);

create temp table wide as select jsonb_object_agg('k' || i, i) as output from generate_series(1, 200000) i;
create temp table took (what text, ms float8);

create function pg_temp.time(p_what text, p_statement text) returns void language plpgsql as $$
declare
  v_from timestamptz := clock_timestamp();
begin
  execute p_statement;
  insert into took values (p_what, extract(epoch from clock_timestamp() - v_from) * 1000);
end;
$$;

select spec.deploy('greet', spec.step('longer'), spec.step('b'), spec.step('c', array['longer', 'b']));
select spec.start('greet', p_run => n) from generate_series(1, 3) n;
select spec.claim_all('greet');
select spec.complete('longer', '{"x": [1, null]}', p_run => 1);
select spec.complete('b', 'null', p_run => 1);
select is((select c.input from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) c where c.kind = 'task'), '{"b": null, "longer": {"x": [1, null]}}',
  'a claim gives the text that jsonb has');
select pg_temp.time('object', 'select jsonb_build_object(''a'', w.output) from wide w') from generate_series(1, 3) n;
select pg_temp.time('text', 'select length(w.output::text) from wide w') from generate_series(1, 3) n;
select spec.deploy('wide', spec.step('a'));
select spec.start('wide', p_run => 10 + n) from generate_series(1, 3) n;
select spec.claim_all('wide');
select pg_temp.time('ours', format('select spec.complete(''a'', w.output, p_run => %s) from wide w', 10 + n)) from generate_series(1, 3) n;
select cmp_ok((select min(t.ms) from took t where t.what = 'ours'), '<', (
  select 100 + 15 * sum(t.least) from (select min(t.ms) as least from took t where t.what <> 'ours' group by t.what) t
), 'as a single object and its text');
select is((spec.run_row(11)).output, jsonb_build_object('a', w.output), 'the same object') from wide w;
select is((spec.run_row(11)).status, 'completed', 'of a run that has ended');

select * from finish();
rollback;
