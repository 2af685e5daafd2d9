-- There is no limit on the depth.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('deep', variadic array[spec.step('s0')] || array(select spec.map('s' || n, 's' || (n - 1)) from generate_series(1, 120) n));
select spec.start('deep');
select spec.claim_all('deep');
select spec.complete('s0', '[]');
select is((select (r.status, r.output)::text from spec.run_row() r), '(completed,"{""s120"": []}")', '120 maps completed');

select * from finish();
rollback;
