-- A flow that no file of luaflow dev has is refused by name, with its file; an alias that never had an active version
-- was not retired.
begin;
\ir ../support/fixtures.sql
select plan(4);

create function spec.follow(p_flows jsonb[]) returns setof text language sql as $$
  select concat_ws(' ', d.flow_slug, d.status, d.alias_status) from pgflow.deploy_files(spec.worker(), 'spec', 'q',
    jsonb_build_object('flows', to_jsonb(p_flows)), 1, jsonb_build_array(jsonb_build_object('flows', to_jsonb(p_flows))), '{}', 1, 2) d;
$$;
select throws_ok($$ select spec.follow('{}') $$, '55000', 'the files decide only in a development database, and this is none', 'only in development');
select pgflow.mark_development();
select spec.follow(array[spec.flow('one', array[spec.step('a')], p_routing => '{"a": "q"}') || '{"file": "flows/one.lua"}',
  spec.flow('two', array[spec.step('a')], p_routing => '{"a": "q"}', p_retained => true) || '{"file": "flows/two.lua"}']);
select spec.start('one');
select set_eq($$ select spec.follow(array[spec.flow('two', array[spec.step('a')], p_routing => '{"a": "q"}', p_retained => true) || '{"file": "flows/two.lua"}']) $$,
  array['one retired', 'two verified retained'], 'what no file has is retired');
select throws_like($$ select spec.start('one', p_run => 2) $$, 'flow ''one'' cannot be started: no file has it since %:%; it was in flows/one.lua', 'it is refused');
select throws_ok($$ select spec.start('two', p_run => 3) $$, '55000', 'alias ''two'' has no active version: none of its versions was ever active', 'never active');

select * from finish();
rollback;
