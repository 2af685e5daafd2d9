-- Everything but an array violates, SQL NULL and null too.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('prices', spec.step('list'), spec.map('price', 'list'));
create temp table outputs (n int, output jsonb, type text);
insert into outputs values (1, '1', 'number'), (2, '"[]"', 'string'), (3, 'null', 'null'), (4, 'false', 'boolean'), (5, null, 'null');
select spec.start('prices', p_run => n) from outputs;
select spec.claim_all('prices');
select spec.complete('list', output, 0, n) from outputs order by n;
select is((spec.task('list', 0, n)).error_message, format('[TYPE_VIOLATION] Produced %s instead of array', type), format('%s: %s', n, type)) from outputs order by n;
select is((select array_agg(distinct status) from pgflow.runs), '{failed}', 'every run failed');

select * from finish();
rollback;
