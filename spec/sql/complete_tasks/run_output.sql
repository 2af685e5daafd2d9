-- The run's output holds the completed leaf steps only.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'), spec.step('leaf', '{a}'), spec.step('other_leaf'), spec.step('skipped_leaf', p_only_if => '{"never": true}'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.complete('other_leaf', 'false');
select spec.complete('a', '1');
select spec.claim_all('greet');
select spec.complete('leaf', '2');
select is((spec.run_row()).output, '{"leaf": 2, "other_leaf": false}'::jsonb, 'leaves that completed');
select is((spec.run_row()).status, 'completed', 'the run is completed');

select * from finish();
rollback;
