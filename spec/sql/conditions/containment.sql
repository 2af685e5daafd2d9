-- jsonb containment, as it stands in the documents.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('d'), spec.step('a', '{d}', p_only_if => '{"d": {}}'));
create temp table cases (n int, output jsonb, status text);
insert into cases values (1, '[1]', 'skipped'), (2, '1', 'skipped'), (3, 'null', 'skipped'), (4, '{"q": 1}', 'started'), (5, '{}', 'started');
select spec.start('greet', p_run => n) from cases;
select spec.claim_all('greet');
select spec.complete('d', output, 0, n) from cases;
select is((spec.state('a', n)).status, status, format('%s against {}', output)) from cases;

select * from finish();
rollback;
