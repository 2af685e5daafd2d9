-- Claims the tasks of messages that a claim has read, first one, then portions that grow while inputs are small, until
-- their inputs have p_max_input bytes together as JSON text. A task whose input alone has more, or cannot be built or
-- sent, fails for good with an error that names it, and the others continue. If the server is short of memory or locks
-- the task is not at fault: it is left, and hidden for a moment like one that is locked. Rows by kind: 'task';
-- 'failed', with the reason as its input; 'left', a message (msg_id) whose task is left, for there was no room.
create or replace function pgflow._claim_within(p_queue_name text, p_message_ids bigint[], p_worker_id uuid, p_max_input int)
returns setof pgflow.claim_row
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
declare
  v_row pgflow.claim_row;
  v_waiting bigint[] := p_message_ids;
  v_portion int := 1;
  v_largest int := 1;
  v_room int := p_max_input;
  v_no_room boolean := false;
  v_unfit bigint[];
  v_reasons text[];
begin
  -- What is made and does not fit is made in vain.
  while cardinality(v_waiting) > 0 and not v_no_room and v_largest <= v_room loop
    v_unfit := '{}';
    v_reasons := '{}';
    begin
      -- An error comes before the first row.
      for v_row in select c.* from pgflow._claim_messages(p_queue_name, v_waiting[:v_portion], p_worker_id, p_max_input, v_room) c loop
        if v_row.kind = 'too_large' then
          v_unfit := v_unfit || v_row.msg_id;
          v_reasons := v_reasons || format(
            'is %s as JSON text, but --max-input is %s', pg_size_pretty(v_row.bytes::bigint), pg_size_pretty(p_max_input::bigint)
          );
          continue;
        end if;
        v_no_room := v_no_room or v_row.kind = 'left';
        v_largest := greatest(v_largest, v_row.bytes);
        v_room := v_room - case v_row.kind when 'task' then v_row.bytes else 0 end;
        return next v_row;
      end loop;
      v_waiting := v_waiting[v_portion + 1:];
      -- Large ones come in company: what does not fit is not gathered again in large portions.
      v_portion := case when v_unfit = '{}' then greatest(1, least(v_portion * 32, v_room / v_largest)) else 1 end;
    exception when insufficient_resources then
      if v_portion = 1 then
        v_waiting := v_waiting[2:];
      end if;
      v_portion := 1;
      continue;
    -- A text just below a gigabyte passes the server's limits and fails in its memory (internal_error).
    when data_exception or program_limit_exceeded or internal_error then
      select coalesce(array_agg(f.message_id), '{}'), array_agg('cannot be sent to a worker: ' || f.message) into v_unfit, v_reasons
      from pgflow._input_faults(p_queue_name, v_waiting[:v_portion]) f;
      if v_unfit = '{}' then
        -- Each alone can be given out, but not all together.
        if v_portion = 1 then
          raise;
        end if;
        v_portion := 1;
        continue;
      end if;
      v_waiting := array(select w.message_id from unnest(v_waiting) with ordinality as w (message_id, n) where w.message_id <> all (v_unfit) order by w.n);
    end;
    if v_unfit <> '{}' then
      return query select f.* from pgflow._fail_unclaimed_tasks(p_queue_name, v_unfit, v_reasons) f;
    end if;
  end loop;
  v_row := null;
  v_row.kind := 'left';
  foreach v_row.msg_id in array v_waiting loop
    return next v_row;
  end loop;
end;
$$;
