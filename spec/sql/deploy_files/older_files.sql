-- A worker of luaflow dev that is a save behind: its files must not come after newer ones, which it would delete.
begin;
\ir ../support/fixtures.sql
select plan(12);

create function spec.registry(p_step text) returns jsonb language sql as $$
  select jsonb_build_object('flows', jsonb_build_array(spec.flow('one', array[spec.step(p_step)], p_routing => jsonb_build_object(p_step, 'q'))));
$$;
create function spec.follow(p_worker int, p_step text, p_from bigint, p_till bigint) returns setof text language sql as $$
  select concat_ws(' ', d.flow_slug, d.status) from pgflow.deploy_files(
    spec.worker(p_worker), 'spec', 'q', spec.registry(p_step), 1, jsonb_build_array(spec.registry(p_step)), '{}', p_from, p_till) d;
$$;
create function spec.await(p_worker int, p_step text, p_from bigint) returns void language sql as $$
  select pgflow.await_files(spec.worker(p_worker), 'spec', jsonb_build_array(spec.registry(p_step)), p_from);
$$;
select pgflow.mark_development();
select set_eq($$ select spec.follow(1, 'older', 10, 12) $$, array['one created'], 'the first save');
select set_eq($$ select spec.follow(2, 'newer', 20, 22) $$, array['one recreated'], 'the second');
select spec.start('one');
select throws_ok($$ select spec.follow(1, 'older', 15, 17) $$, '40001',
  'the files may be older than those that another worker has deployed: they are read again', 'what was read before');
select throws_ok($$ select spec.follow(3, 'older', 21, 23) $$, '40001', null, 'a worker that starts, and has read at the same time');
select throws_ok($$ select spec.await(1, 'older', 15) $$, '40001', null, 'it is known before claims are held');
select is((spec.run_row()).flow_slug, 'one', 'the run is there');
select set_eq($$ select spec.follow(1, 'newer', 15, 17) $$, array['one verified'], 'the same files');
select lives_ok($$ select spec.await(1, 'older', 25) $$, 'read afterwards: somebody has put the older files back');
select set_eq($$ select spec.follow(1, 'older', 25, 27) $$, array['one recreated'], 'they count');
select throws_ok($$ select spec.follow(2, 'newer', 20, 22) $$, '40001', null, 'the others are outdated now');
update pgflow.workers w set last_heartbeat_at = w.last_heartbeat_at - interval '1 hour';
select set_eq($$ select spec.follow(2, 'newer', 1, 2) $$, array['one recreated'], 'after the machine has started again');
select is_empty('select * from pgflow.check_invariants()', 'consistent');

select * from finish();
rollback;
