-- Elements of a map that failed for good while their step goes on.

alter table pgflow.steps
  -- 'null': the output of such an element is null. Part of the shape.
  add column when_element_exhausted text not null default 'fail'
    constraint when_element_exhausted_is_valid check (when_element_exhausted in ('fail', 'null')),
  add constraint when_element_exhausted_is_of_maps check (when_element_exhausted = 'fail' or step_type = 'map');

alter table pgflow.step_states
  -- The tasks that failed for good and gave null; they count as done.
  add column failed_tasks int not null default 0 constraint failed_tasks_is_nonnegative check (failed_tasks >= 0);

drop function if exists
  pgflow._insert_step(text, text, text, text[], text, int, int, int, int, jsonb, jsonb, text, text, text, boolean),
  pgflow.run_steps(uuid),
  pgflow.run_attempts(uuid);
