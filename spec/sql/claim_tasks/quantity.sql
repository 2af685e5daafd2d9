-- A claim reads at most as many messages as were asked for, the oldest first.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('prices', spec.map('price'));
select spec.start('prices', '[1,2,3,4,5]');
select results_eq('select spec.claim(''prices'', 2)', array['price:0', 'price:1'], 'two');
select results_eq('select spec.claim(''prices'', 10)', array['price:2', 'price:3', 'price:4'], 'the rest');
select is(spec.tasks('price'), array['started', 'started', 'started', 'started', 'started'], 'all are started');

select * from finish();
rollback;
