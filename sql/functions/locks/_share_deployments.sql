-- Takes the deployment lock shared, until the transaction ends: no deployment changes definitions or handlers meanwhile.
-- Raises lock_not_available, with who holds it, if one continues for more than 10 s.
create or replace function pgflow._share_deployments() returns void
language sql volatile
set search_path = pg_catalog, pg_temp
as $$
  select pgflow._await_lock('deployment_lock', 'row share', current_setting('lock_timeout'),
    'could not lock the flows: another transaction deploys or changes some');
$$;
