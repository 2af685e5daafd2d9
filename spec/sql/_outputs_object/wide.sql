-- An output with very many keys costs about as much as its size, not as the square of it.
begin;
\ir ../support/fixtures.sql
select plan(5);

create function pg_temp.least_ms(p_statement text) returns float8 language plpgsql as $$
declare
  v_from timestamptz;
  v_least float8;
begin
  for i in 1..3 loop
    v_from := clock_timestamp();
    execute p_statement;
    v_least := least(v_least, extract(epoch from clock_timestamp() - v_from) * 1000);
  end loop;
  return v_least;
end;
$$;
create temp table wide as select jsonb_object_agg('k' || i, i) as output from generate_series(1, 200000) i;
create temp table took as select
  pg_temp.least_ms('select jsonb_build_object(''a'', w.output) from wide w') as builds,
  pg_temp.least_ms('select pgflow._outputs_object(array[''a''], array[w.output]) from wide w') as ours;
select cmp_ok(t.ours, '<', 15 * t.builds, 'as a single object') from took t;
select is(pgflow._outputs_object(array['a', 'b'], array[w.output, null]), jsonb_build_object('a', w.output, 'b', null), 'the same object') from wide w;
select is(pgflow._outputs_object(array['a', 'b'], array['1e500', null]::jsonb[]), jsonb_build_object('a', '1e500'::jsonb, 'b', null), 'of small ones too');
select is(pgflow._outputs_object(null, null), null, 'null for none');

select spec.deploy('greet', spec.step('longer'), spec.step('b'), spec.step('c', array['longer', 'b']));
select spec.start('greet');
select spec.claim_all('greet');
select spec.complete('longer', '{"x": [1, null]}');
select spec.complete('b', 'null');
select is((select c.input from pgflow.claim_tasks(spec.worker(), 1, 'greet', 100) c where c.kind = 'task'), '{"b": null, "longer": {"x": [1, null]}}', 'a claim gives the text that jsonb has');

select * from finish();
rollback;
