-- F6: chained maps over [] all complete with [], and the run with them.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('prices', spec.step('list'), spec.map('one', 'list'), spec.map('two', 'one'), spec.map('three', 'two'));
select spec.start('prices');
select spec.claim_all('prices');
select spec.complete('list', '[]');
select is(spec.states(), '{"list": "completed", "one": "completed", "two": "completed", "three": "completed"}'::jsonb, 'all are completed');
select is((select (r.status, r.output)::text from spec.run_row() r), '(completed,"{""three"": []}")', 'and so is the run');
select spec.deploy('root', spec.map('one'), spec.map('two', 'one'));
select is((select (r.status, r.output)::text from pgflow.start_flow('root', '[]', spec.run(2)) r), '(completed,"{""two"": []}")', 'also from the run''s input');

select * from finish();
rollback;
