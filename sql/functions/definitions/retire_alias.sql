-- retire_alias(flow_alias) -> the version that was active; null if the alias had none already, so a repeated call
-- changes nothing. For operators. The alias is left without an active version: starts of it are refused, runs that
-- exist continue. The next deployment of one of its versions that is not retained activates it again. Raises
-- undefined_object, with the known aliases as a hint, for an unknown one.
-- Locks: the deployment lock and the alias, exclusively, until commit.
create or replace function pgflow.retire_alias(flow_alias text) returns text
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  v_active text;
begin
  perform pgflow._lock_deployments();
  select a.active_flow_slug into v_active from pgflow.flow_aliases a where a.flow_alias = retire_alias.flow_alias;
  if not found then
    raise exception 'there is no alias %', quote_nullable(retire_alias.flow_alias)
      using errcode = 'undefined_object', hint = coalesce(
        (select format('it is a flow of alias %s', f.flow_alias) from pgflow.flows f where f.flow_slug = retire_alias.flow_alias),
        (select 'known: ' || string_agg(a.flow_alias, ', ' order by a.flow_alias) from pgflow.flow_aliases a),
        'no flow is deployed yet'
      );
  end if;
  perform pgflow._activate_alias(retire_alias.flow_alias, null, null);
  return v_active;
end;
$$;
