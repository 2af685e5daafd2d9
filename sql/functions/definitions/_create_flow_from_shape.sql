-- Stores a flow and its steps from a shape with options; routing maps every step to its queue. Queues exist already.
-- The deployment lock is held by the caller.
create or replace function pgflow._create_flow_from_shape(
  p_flow_slug text, p_shape jsonb, p_flow_alias text, p_routing jsonb, p_is_deployed boolean
) returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_step jsonb;
begin
  perform pgflow._insert_flow(
    p_flow_slug, p_flow_alias, (p_shape #>> '{options,maxAttempts}')::int, (p_shape #>> '{options,baseDelay}')::int,
    (p_shape #>> '{options,timeout}')::int, p_is_deployed
  );
  for v_step in select s.value from jsonb_array_elements(p_shape -> 'steps') with ordinality as s (value, n) order by s.n loop
    perform pgflow._insert_step(
      p_flow_slug, v_step ->> 'slug', v_step ->> 'stepType', pgflow._sorted_texts(v_step -> 'dependencies'),
      coalesce(p_routing ->> (v_step ->> 'slug'), lower(p_flow_slug collate "C")),
      (v_step #>> '{options,maxAttempts}')::int, (v_step #>> '{options,baseDelay}')::int,
      (v_step #>> '{options,timeout}')::int, (v_step #>> '{options,startDelay}')::int,
      v_step #> '{requiredInputPattern,value}', v_step #> '{forbiddenInputPattern,value}',
      v_step ->> 'whenUnmet', v_step ->> 'whenExhausted', v_step ->> 'kind', (v_step ->> 'transaction')::boolean,
      v_step ->> 'whenElementExhausted'
    );
  end loop;
end;
$$;
