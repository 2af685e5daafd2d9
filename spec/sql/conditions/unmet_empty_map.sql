-- An unmet condition wins over an empty array.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('prices', spec.map('price', p_only_if => '{"x": 1}'));
select spec.start('prices', '[]');
select is((select (s.status, s.skip_reason)::text from spec.state('price') s), '(skipped,condition_unmet)', 'skipped');

select * from finish();
rollback;
