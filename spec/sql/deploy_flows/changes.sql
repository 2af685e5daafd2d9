-- A deployment answers what it has changed: the options of a flow that is verified, and the flows that the worker no longer has.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.answer(p_flows jsonb[], p_generation bigint) returns setof record language sql as $$
  select flow_slug, status, differences from pgflow.deploy_flows(spec.worker(), 'spec', 'main', jsonb_build_object('flows', to_jsonb(p_flows)), p_generation);
$$;
select results_eq($$ select * from spec.answer(array[spec.flow('one', array[spec.step('a')]), spec.flow('two', array[spec.step('a')])], 1) as (f text, s text, d text[]) $$,
  $$ values ('one', 'created', '{}'::text[]), ('two', 'created', '{}') $$, 'new');
select results_eq($$ select * from spec.answer(array[spec.flow('one', array[spec.step('a', p_options => '{"maxAttempts": 5, "startDelay": 7}')], p_options => '{"timeout": 9}')], 2) as (f text, s text, d text[]) $$,
  $$ values ('one', 'verified', array['one: timeout 60 -> 9 s', 'one.a: max_attempts the flow''s -> 5', 'one.a: start_delay 0 -> 7 s']), ('two', 'removed', '{}') $$,
  'options that change, and a flow that the worker has no longer');
select results_eq($$ select * from spec.answer(array[spec.flow('one', array[spec.step('a', p_options => '{"maxAttempts": 5, "startDelay": 7}')], p_options => '{"timeout": 9}')], 3) as (f text, s text, d text[]) $$,
  $$ values ('one', 'verified', '{}'::text[]) $$, 'then nothing');
select results_eq($$ select * from spec.answer(array[spec.flow('one', array[spec.step('a')])], 4) as (f text, s text, d text[]) $$,
  $$ values ('one', 'verified', array['one: timeout 9 -> 60 s', 'one.a: max_attempts 5 -> the flow''s', 'one.a: start_delay 7 -> 0 s']) $$, 'and back');

select * from finish();
rollback;
