-- F18: integers above 2^53 and long decimals pass through maps and single steps digit for digit.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('exact', spec.map('each'));
select spec.start('exact', '[9223372036854775807, 0.30000000000000004, 1e308, 123456789012345678901234567890]');
select spec.claim_all('exact');
select spec.complete('each', (spec.task('each', n)).input, n) from generate_series(0, 3) n;
select is((spec.run_row()).output::text, jsonb_build_object('each', (spec.run_row()).input)::text, 'every digit');
select matches((spec.run_row()).output::text, '9223372036854775807, 0.30000000000000004, 10+, 123456789012345678901234567890', 'written out');

select * from finish();
rollback;
