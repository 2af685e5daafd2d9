-- A role of handlers can open and complete the transaction of a step whose claim's secret it is given, and nothing else of the schema.
begin;
\ir ../support/fixtures.sql
select plan(16);

select spec.deploy('bank', spec.step('transfer'), spec.map('each'));
select spec.start('bank', '[1, 2]');
create temp table claimed as select * from pgflow.claim_tasks(spec.worker(), 1, 'bank', 10) where kind = 'task';
create role spec_sql_handler in role pgflow_handler;
grant usage on schema spec to spec_sql_handler;

select is(spec.outcome_as('spec_sql_handler', 'select pgflow.installation_id()'), 'fine', 'it sees the installation''s id');
select is(spec.outcome_as('spec_sql_handler', format('select pgflow.open_transaction(spec.run(), ''transfer'', 0, %s, %s, 60000)', spec.claim_no('transfer'), g.secret)), 'LF004', 'it opens none with ' || g.what)
from (values
  ('null', 'no secret'), ('''''', 'an empty one'),
  ((select quote_literal(c.secret) from claimed c where c.step_slug = 'each' and c.task_index = 0), 'that of another task'),
  (quote_literal(spec.secret('transfer', p_run => 2)), 'that of another run'),
  (quote_literal(spec.secret('transfer', p_claim_no => 2)), 'that of another claim'),
  (quote_literal(spec.secret('transfer', 1)), 'that of another element')
) g (secret, what);
select is(spec.outcome_as('spec_sql_handler', 'select pgflow.open_transaction(spec.run(2), ''transfer'', 0, 1, '''', 60000)'), 'LF004', 'nor learns so whether there is such a claim');
select is((spec.task('transfer')).status, 'started', 'nothing was completed');
select is(spec.outcome_as('spec_sql_handler', 'select * from pgflow.transaction_keys'), '42501', 'it cannot read the key');
select is(spec.outcome_as('spec_sql_handler', 'select pgflow._transaction_secret('''', spec.run(), ''transfer'', 0, 1)'), '42501', 'nor make a secret');
select is(spec.outcome_as('spec_sql_handler', format(
  $$ do 'declare t uuid := pgflow.open_transaction(spec.run(), ''transfer'', 0, %1$s, ''%2$s'', 60000);
    begin perform pgflow.complete_transaction(t, spec.run(), ''transfer'', 0, %1$s, ''1''); end' $$, c.claim_no, c.secret
)), 'fine', 'it completes with the one that the claim gave out') from claimed c where c.step_slug = 'transfer';
select is(spec.outcome_as('spec_sql_handler', 'set constraints all immediate'), 'fine', 'the guard lets it pass');
select is(spec.outcome_as('spec_sql_handler', 'delete from pgflow.open_transactions'), '42501', 'it cannot remove the guard');
select is(spec.outcome_as('spec_sql_handler', $$ select pgflow.complete_tasks('{}', '{}', '{}', '{}', '{}') $$), '42501', 'it cannot complete otherwise');
select is(spec.outcome_as('spec_sql_handler', $$ select pgflow.start_flow('bank', '1') $$), '42501', 'nor start');

select * from finish();
rollback;
