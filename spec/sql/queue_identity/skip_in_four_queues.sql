-- A run is skipped to its end, step by step, while siblings of what fails are queued and started in four queues: no message is left in any of them.
begin;
\ir ../support/fixtures.sql
select plan(4);

create temp table registry as select array[spec.flow('wide', array[
  spec.map('a', p_when_exhausted => 'skip'), spec.map('b', p_when_exhausted => 'skip-cascade'), spec.map('c', p_when_exhausted => 'skip'), spec.map('d', p_when_exhausted => 'skip-cascade'),
  spec.step('x', '{b,d}')
], p_routing => '{"a": "q1", "b": "q2", "c": "q3", "d": "q4", "x": "q1"}')] as flows;
select spec.deploy_registry(flows, 'q' || n, p_worker => n) from registry, generate_series(1, 4) n;
select spec.start('wide', '[1, 2, 3]');
select spec.claim('q' || n, 2, p_worker => n) from generate_series(1, 4) n;
select is(spec.fail_batch('{1,1,1,1}', '{d,c,b,a}', '{0,0,0,0}', '{no,no,no,no}', p_permanent => '{t,t,t,t}'), '{done,done,done,done}', 'one task of each fails');
select is((select (status, output)::text from spec.run_row()), '(completed,)', 'the run');
select is(array(select spec.messages('q' || n) || ' ' || spec.archived('q' || n) from generate_series(1, 4) n), '{0 3,0 3,0 3,0 3}', 'no message is left, each is archived in its queue');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
