-- A role of handlers can open and complete a step's transaction, and nothing else of the schema.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('bank', spec.step('transfer'));
select spec.start('bank');
select spec.claim_all('bank');
create role spec_handler in role pgflow_handler;
grant usage on schema spec to spec_handler;

select is(spec.outcome_as('spec_handler', 'select pgflow.installation_id()'), 'fine', 'it sees the installation''s id');
select is(spec.outcome_as('spec_handler', $$ do 'declare t uuid := pgflow.open_transaction(spec.run(), ''transfer'', 0, 1, 60000); begin perform pgflow.complete_transaction(t, spec.run(), ''transfer'', 0, 1, ''1''); end' $$), 'fine', 'it completes');
select is(spec.outcome_as('spec_handler', 'set constraints all immediate'), 'fine', 'the guard lets it pass');
select is(spec.outcome_as('spec_handler', 'delete from pgflow.open_transactions'), '42501', 'it cannot remove the guard');
select is(spec.outcome_as('spec_handler', $$ select pgflow.complete_tasks('{}', '{}', '{}', '{}', '{}') $$), '42501', 'it cannot complete otherwise');
select is(spec.outcome_as('spec_handler', $$ select pgflow.start_flow('bank', '1') $$), '42501', 'nor start');

select * from finish();
rollback;
