-- Group roles that hold the rights on the schema. They are cluster-wide, and a managed server may refuse to make them: then
-- the statements are printed for somebody who may, and the installation goes on.
do $$
declare
  v_role text;
begin
  foreach v_role in array array['pgflow_starter', 'pgflow_worker', 'pgflow_reader', 'pgflow_compat'] loop
    begin
      execute format('create role %I nologin', v_role);
    exception
      when duplicate_object or unique_violation then null;
      when insufficient_privilege then
        raise warning 'role % was not created: %', v_role, sqlerrm
          using hint = format('have an administrator run: create role %I nologin; then migrate again', v_role);
    end;
  end loop;
end;
$$;
