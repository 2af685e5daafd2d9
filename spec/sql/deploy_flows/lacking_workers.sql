-- A deployment that adds a step to a queue lists the live workers that lack it: they stop at its first task (I7).
begin;
\ir ../support/fixtures.sql
select plan(8);

create function spec.deploy_theirs(p_slug text, p_worker int, p_retained boolean default false) returns table (alias_status text, message text, lacking jsonb) language sql as $$
  select d.alias_status, d.message, d.lacking_workers
  from pgflow.deploy_flows(spec.worker(p_worker), 'team', 'theirs', jsonb_build_object('flows', jsonb_build_array(
    spec.flow(p_slug, array[spec.step('b'), spec.step('c', '{b}')], p_alias => 'their_alias', p_routing => '{"b": "shared", "c": "theirs"}', p_retained => p_retained))), 1) d
  where d.status <> 'removed';
$$;
select spec.deploy_registry(array[spec.flow('ours', array[spec.step('a')], p_routing => '{"a": "shared"}')], 'shared', n) from generate_series(1, 2) n;
select spec.deploy_registry(array[spec.flow('ours', array[spec.step('a')], p_routing => '{"a": "shared"}')], 'shared', 3, p_function => 'gone');
select pgflow.mark_worker_stopped(spec.worker(3));
select results_eq($$ select alias_status, lacking from spec.deploy_theirs('theirs', 4, true) $$, $$ values ('retained', '[]'::jsonb) $$, 'retained, it adds nothing yet');
create temp table answer as select * from spec.deploy_theirs('theirs', 4);
select is((select lacking from answer), jsonb_build_array(
  jsonb_build_object('worker_id', spec.worker(1), 'queue_name', 'shared', 'function_name', 'spec', 'pairs', array['theirs.b']),
  jsonb_build_object('worker_id', spec.worker(2), 'queue_name', 'shared', 'function_name', 'spec', 'pairs', array['theirs.b'])), 'those that live and lack it');
select is((select message from answer),
  'these workers stop at the first task of steps that they lack: 00000000 of queue shared (function spec) lacks theirs.b, 00000000 of queue shared (function spec) lacks theirs.b',
  'in words');
select results_eq($$ select alias_status, lacking from spec.deploy_theirs('theirs', 4) $$, $$ values ('already active', '[]'::jsonb) $$, 'again: it adds nothing');
select results_eq($$ select queue_name, jsonb_array_length(lacking_workers), uncovered_pairs from pgflow.queue_status order by 1 $$,
  $$ values ('shared', 2, '{theirs.b}'::text[]), ('theirs', 0, '{}') $$, 'and the queue shows them for as long as they live');
select pgflow.mark_worker_stopped(spec.worker(1));
select results_eq($$ select worker_id, function_name, pairs from pgflow.lacking_workers('shared') $$, $$ values (spec.worker(2), 'spec', '{theirs.b}'::text[]) $$, 'the other one is left');

-- In a preview.
select results_eq($$ select d.status, d.alias_status, d.lacking_workers #>> '{0,pairs,0}' from pgflow.preview_deployment('theirs', jsonb_build_object('flows', jsonb_build_array(
    spec.flow('theirs_v2', array[spec.step('b')], p_alias => 'their_alias', p_routing => '{"b": "shared"}'), spec.flow('theirs', array[spec.step('b'), spec.step('c', '{b}')],
      p_alias => 'their_alias', p_routing => '{"b": "shared", "c": "theirs"}', p_retained => true)))) d $$,
  $$ values ('created', 'activated', 'theirs_v2.b'), ('verified', 'retained', null) $$, 'before it is deployed');
select is((select count(*)::int from pgflow.flows), 2, 'which deploys nothing');

select * from finish();
rollback;
