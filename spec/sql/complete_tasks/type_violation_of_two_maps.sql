-- Two maps may read one step; one of them is enough for the rule.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('prices', spec.step('list'), spec.map('price', 'list'), spec.map('tax', 'list'), spec.step('single', '{list}'));
select spec.start('prices');
select spec.start('prices', p_run => 2);
select spec.claim_all('prices');
select spec.complete('list', '7');
select is((spec.run_row()).status, 'failed', 'no array: failed');
select spec.complete('list', '[7]', p_run => 2);
select is(spec.states(2), '{"list": "completed", "price": "started", "tax": "started", "single": "started"}'::jsonb, 'an array: all start');

select * from finish();
rollback;
