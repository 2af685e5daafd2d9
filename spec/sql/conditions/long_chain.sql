-- There is no limit on the depth of skips.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('deep', variadic array[spec.step('s0', p_only_if => '{"x": 1}')]
  || array(select spec.step('s' || n, array['s' || (n - 1)], p_only_if => jsonb_build_object('s' || (n - 1), 1)) from generate_series(1, 120) n));
select is((select (r.status, r.output)::text from pgflow.start_flow('deep', '{}', spec.run()) r), '(completed,)', '121 skips, one after another');
select is((select count(*) from pgflow.step_states where status = 'skipped'), 121::bigint, 'all are skipped');

select * from finish();
rollback;
