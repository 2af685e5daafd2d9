-- Two live workers that move an alias back and forth are named, until one of them has reloaded or an hour has passed.
begin;
\ir ../support/fixtures.sql
select plan(9);

create function spec.disputes() returns setof text language sql as $$
  select d.message || ' / ' || d.hint from pgflow.doctor_workers() d where d.message ~ 'disagree';
$$;
create function spec.move(p_worker int, p_from text, p_to text) returns void language sql as $$
  insert into pgflow.alias_activations (flow_alias, from_flow_slug, to_flow_slug, worker_id, activated_at)
  values ('jobs', p_from, p_to, spec.worker(p_worker), clock_timestamp());
  update pgflow.flow_aliases a set active_flow_slug = p_to where a.flow_alias = 'jobs';
$$;
select spec.deploy_registry(array[spec.flow('jobs', array[spec.step('a')]), spec.flow('jobs_v2', array[spec.step('a')])], p_worker => n)
from generate_series(1, 2) n;
delete from pgflow.alias_activations;
update pgflow.flow_aliases set active_flow_slug = null where flow_alias = 'jobs_v2';
update pgflow.flows set flow_alias = 'jobs' where flow_slug = 'jobs_v2';
select spec.move(1, null, 'jobs');
select is_empty('select spec.disputes()', 'one version');
select spec.move(2, 'jobs', 'jobs_v2');
select is_empty('select spec.disputes()', 'a new version while the old worker lives: a rollout');
select spec.move(1, 'jobs_v2', 'jobs');
select results_eq('select spec.disputes()', format(
  $$ values ('workers %s of queue %s and %s of queue %2$s have files that disagree about the active version of alias jobs (jobs, jobs_v2): '
    'the next restart or reload of either moves it / give both the same files, then run: luaflow reload %2$s') $$,
  spec.worker(1), (select queue_name from pgflow.workers where worker_id = spec.worker(1)), spec.worker(2)), 'moved back by a live worker');
update pgflow.workers set last_reload_at = clock_timestamp(), last_reload_error = 'oh' where worker_id = spec.worker(2);
select isnt_empty('select spec.disputes()', 'a reload that failed changes nothing');
update pgflow.workers set last_reload_error = null where worker_id = spec.worker(2);
select is_empty('select spec.disputes()', 'the other has reloaded since, and not moved it');
update pgflow.workers set last_reload_at = null where worker_id = spec.worker(2);
update pgflow.alias_activations set activated_at = activated_at - interval '61 minutes';
select is_empty('select spec.disputes()', 'an hour later');
update pgflow.alias_activations set activated_at = clock_timestamp();
select isnt_empty('select spec.disputes()', 'within the hour');
update pgflow.workers set deprecated_at = clock_timestamp() where worker_id = spec.worker(2);
select is_empty('select spec.disputes()', 'the other drains');
update pgflow.workers set deprecated_at = null, last_heartbeat_at = clock_timestamp() - interval '1 minute' where worker_id = spec.worker(2);
select is_empty('select spec.disputes()', 'or is dead');

select * from finish();
rollback;
