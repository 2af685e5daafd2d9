-- Returns what the deployment of one flow of a registry does with its alias: activated | moved back | already active |
-- retained | kept; a sentence about it, or null; and the version that it replaces, or null. A version that was never active is
-- activated. One that was active and has been replaced is activated again only by a registry that also has the version
-- that is active now, so that a stale replica cannot move the alias back (I2), or if there is none. That is a move back: the
-- sentence says who had activated the other version, and when. In a development database the files decide.
create or replace function pgflow._judge_alias(
  p_flow jsonb, p_registry jsonb, out alias_status text, out message text, out replaced_slug text
)
language plpgsql stable
set search_path = pg_catalog, pg_temp
as $$
declare
  v_slug text := p_flow ->> 'slug';
  v_alias text := p_flow ->> 'alias';
  v_active text := (select a.active_flow_slug from pgflow.flow_aliases a where a.flow_alias = v_alias);
  v_was_active boolean := exists (select from pgflow.alias_activations h where h.flow_alias = v_alias and h.to_flow_slug = v_slug);
  v_develops boolean := (select s.development from pgflow.settings s);
begin
  if (p_flow ->> 'retained')::boolean then
    alias_status := 'retained';
  elsif v_active = v_slug then
    alias_status := 'already active';
  elsif v_active is null
    or not v_was_active
    or exists (select from jsonb_array_elements(p_registry -> 'flows') f where f.value ->> 'slug' = v_active)
    or v_develops then
    alias_status := case when v_active is not null and v_was_active and not v_develops then 'moved back' else 'activated' end;
    replaced_slug := v_active;
    message := format('alias %s: ', v_alias) || v_active || format(' -> %s', v_slug)
      || case when alias_status = 'moved back' then pgflow._activation_text(v_alias, v_active) else '' end;
  else
    alias_status := 'kept';
    message := format(
      'alias %1$s stays at %2$s: it replaced this version, and these flows do not have it; to activate this version again, add %2$s to the flows '
      'with luaflow.retain, or run luaflow flows retire %1$s, then deploy again', v_alias, v_active
    );
  end if;
end;
$$;
