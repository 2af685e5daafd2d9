-- A disabled function's worker deploys nothing.
begin;
\ir ../support/fixtures.sql
select plan(4);

insert into pgflow.worker_functions (function_name, enabled) values ('spec', false);
create temp table before as select spec.definitions() as definitions;
select results_eq($$ select flow_slug, status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])]) $$, $$ values ('greet', 'fenced') $$, 'the answer');
select is(spec.definitions(), (select definitions from before), 'nothing was stored, no queue, no worker');
select is((select enabled from pgflow.worker_functions), false, 'the function stays disabled');
update pgflow.worker_functions set enabled = true;
select is((select status from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])])), 'created', 'enabled, it deploys');

select * from finish();
rollback;
