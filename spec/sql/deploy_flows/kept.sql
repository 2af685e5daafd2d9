-- A registry that lacks the active version never moves the alias back (I2), and the answer names both remedies.
begin;
\ir ../support/fixtures.sql
select plan(9);

create function spec.v1(p_retained boolean default false) returns jsonb language sql as $$
  select spec.flow('greet_v1', array[spec.step('a')], p_alias => 'greet', p_retained => p_retained);
$$;
create function spec.v2(p_retained boolean default false) returns jsonb language sql as $$
  select spec.flow('greet_v2', array[spec.step('a')], p_alias => 'greet', p_retained => p_retained);
$$;
create function spec.active() returns text language sql as $$ select active_flow_slug from pgflow.flow_aliases $$;
select spec.deploy_registry(array[spec.v1()]);
select spec.deploy_registry(array[spec.v2(), spec.v1(true)]);
select results_eq($$ select status, alias_status, message from spec.deploy_registry(array[spec.v1()], p_worker => 2) $$,
  $$ values ('verified', 'kept', 'alias greet stays at greet_v2: it replaced this version, and these flows do not have it; to activate this version again, add greet_v2 to the '
    'flows with luaflow.retain, or run luaflow flows retire greet, then deploy again') $$, 'a stale replica');
select is(spec.active(), 'greet_v2', 'the alias stays');
select is((select count(*) from pgflow.alias_activations), 2::bigint, 'and the history too');

-- Both remedies work.
select is((select alias_status from spec.deploy_registry(array[spec.v1(), spec.v2(true)], p_worker => 2) where flow_slug = 'greet_v1'), 'moved back', 'with the active one retained');
select spec.deploy_registry(array[spec.v2(), spec.v1(true)]);
select is((select alias_status from spec.deploy_registry(array[spec.v1()], p_worker => 2)), 'kept', 'forward again');
select pgflow.retire_alias('greet');
select is((select alias_status from spec.deploy_registry(array[spec.v1()], p_worker => 2)), 'activated', 'without an active version');

-- A version that was deleted and comes back was active all the same.
select spec.deploy_registry(array[spec.v2(), spec.v1(true)]);
select pgflow.delete_flow_and_data('greet_v1');
select is((select alias_status from spec.deploy_registry(array[spec.v1()], p_worker => 2)), 'kept', 'deleted and deployed again');

-- In a development database the files decide.
update pgflow.settings set development = true;
select is((select alias_status from spec.deploy_registry(array[spec.v1()], p_worker => 2)), 'activated', 'an older checkout');
select is_empty($$ select from pgflow.check_invariants(true) $$, 'and all is consistent');

select * from finish();
rollback;
