-- A thousand tasks in one call.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('wide', spec.map('each'));
select spec.start('wide', (select jsonb_agg(n) from generate_series(0, 999) n));
select spec.claim_all('wide');
select is(
  (select array_agg(distinct a) from unnest(spec.complete_batch(array_fill(1, array[1000]), array_fill('each'::text, array[1000]), array(select generate_series(999, 0, -1)), array(select to_jsonb(generate_series(999, 0, -1) * 2)))) a),
  '{done}', 'all done'
);
select is((spec.run_row()).output -> 'each', (select jsonb_agg(n * 2) from generate_series(0, 999) n), 'in the order of the index');
select is(spec.messages('wide') || ' ' || spec.archived('wide'), '0 1000', 'all messages are archived');

select * from finish();
rollback;
