-- A development database recreates a changed flow together with its runs; its queue stays and the flow is active again.
begin;
\ir ../support/fixtures.sql
select plan(7);

update pgflow.settings set development = true;
select spec.deploy('greet', spec.step('a'));
select spec.deploy('other', spec.step('a'));
select spec.start('greet');
select spec.start('other', p_run => 2);
select results_eq(
  $$ select status, alias_status from spec.deploy_registry(array[spec.flow('greet', array[spec.map('a'), spec.step('b', '{a}')])]) $$,
  $$ values ('recreated', 'already active') $$, 'the answer'
);
select results_eq($$ select step_slug, step_type from pgflow.steps where flow_slug = 'greet' order by step_index $$, $$ values ('a', 'map'), ('b', 'single') $$, 'the new shape is stored');
select is((select count(*) from pgflow.runs where flow_slug = 'greet'), 0::bigint, 'its runs are gone');
select is(spec.messages('greet'), 0::bigint, 'and so are their messages');
select is((spec.run_row(2)).status, 'started', 'another flow''s run stays');
select is(spec.messages('other'), 1::bigint, 'with its message');
select spec.start('greet', '[1]', 3);
select is((spec.run_row(3)).status, 'started', 'the new version can be started');

select * from finish();
rollback;
