-- The locks of this schema are locks of empty tables, since whoever may connect can take any advisory lock: these can be taken by the schema's owner alone. Whoever may
-- read everything can take no mode that conflicts with the two that are used. An alias has one of 64, by its hash.
do $$
begin
  execute 'create table pgflow.deployment_lock ()';
  execute 'create table pgflow.rollout_lock ()';
  for v_bucket in 0 .. 63 loop
    execute format('create table pgflow.alias_lock_%s ()', v_bucket);
  end loop;
end;
$$;
drop function if exists pgflow._alias_lock_key(text);

-- check_invariants looks at what is under way, or in full.
drop function if exists pgflow.check_invariants();
drop function if exists pgflow._check_runs();
drop function if exists pgflow._check_steps();
drop function if exists pgflow._check_tasks();
drop function if exists pgflow._check_messages();
