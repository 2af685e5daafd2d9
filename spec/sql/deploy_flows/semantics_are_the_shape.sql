-- The kind array and the transaction of a step are execution semantics: a deployed slug keeps them (I1). What an older program stored does not know them; the next deployment
-- stores them.
begin;
\ir ../support/fixtures.sql
select plan(13);

create function spec.with(p_kind text, p_transaction boolean) returns jsonb language sql as $$
  select spec.flow('orders', array[spec.step('pay') || jsonb_build_object('kind', p_kind, 'transaction', p_transaction)]);
$$;
create function spec.answer(p_kind text, p_transaction boolean) returns table (status text, differences text[]) language sql as $$
  select status, differences from spec.deploy_registry(array[spec.with(p_kind, p_transaction)]);
$$;
select is((select status from spec.answer('single', true)), 'created', 'stored');
select is((select (kind, is_transactional)::text from pgflow.steps), '(single,t)', 'both');
create temp table before as select spec.definitions() as definitions;
select results_eq($$ select * from spec.answer('single', false) $$,
  $$ values ('shape_mismatch', array['Step at index 0: transaction: in the modules ''false'', in the database ''true''']) $$, 'without the transaction');
select results_eq($$ select * from spec.answer('array', true) $$,
  $$ values ('shape_mismatch', array['Step at index 0: kind: in the modules ''array'', in the database ''single''']) $$, 'another kind');
select is(spec.definitions(), (select definitions from before), 'nothing changed');
select results_eq($$ select * from spec.answer('single', true) $$, $$ values ('verified', '{}'::text[]) $$, 'the same again');

-- An installation of before: neither is known.
update pgflow.steps set kind = null, is_transactional = null;
select results_eq($$ select * from spec.answer('array', false) $$, $$ values ('verified', '{}'::text[]) $$, 'what is not known refuses nothing');
select is((select (kind, is_transactional)::text from pgflow.steps), '(array,f)', 'and is stored then');
select is((select array_agg(status) from spec.answer('single', true)), '{shape_mismatch}', 'from then on it is compared');
select results_eq($$ select status from spec.deploy_registry(array[spec.flow('orders', array[spec.step('pay')])]) $$, $$ values ('verified') $$, 'a program that does not send them');
select is((select (kind, is_transactional)::text from pgflow.steps), '(array,f)', 'changes neither');

-- Only half is known.
update pgflow.steps set kind = null;
select is((select array_agg(status) from spec.answer('single', true)), '{shape_mismatch}', 'what is known is compared');
select is_empty($$ select from pgflow.check_invariants(true) $$, 'and all is consistent');

select * from finish();
rollback;
