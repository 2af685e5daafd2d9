-- Nothing is reported in any state that the functions leave behind.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('prices', spec.map('a'), spec.step('b', '{a}'), spec.step('c', p_when_exhausted => 'skip'), spec.step('d', '{c}'));
select spec.start('prices', format('[%s]', repeat('1,', n) || '1')::jsonb, n) from generate_series(1, 5) n;
select spec.claim_all('prices');
select spec.complete('a', '1', 0, 1);
select spec.fail('a', p_index => 0, p_run => 2, p_permanent => true);
select spec.fail('c', p_run => 3, p_permanent => true);
select spec.release('a', 1, 4);
select spec.complete('c', '1', p_run => 5);
select is_empty($$ select * from pgflow.check_invariants() $$, 'none');

select * from finish();
rollback;
