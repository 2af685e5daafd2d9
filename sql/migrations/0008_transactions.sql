-- The guard of transactional steps: a row that a step's transaction inserts first and that only its completion removes. Where the row is still
-- there at commit, somebody else is committing, and the commit fails.

create table pgflow.open_transactions (
  token uuid primary key default gen_random_uuid()
);

-- Deferred triggers run as whoever commits, so this one brings its owner's rights.
create function pgflow._refuse_commit() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
  if exists (select from pgflow.open_transactions t where t.token = new.token) then
    raise exception 'the transaction of a step commits only together with its completion'
      using errcode = 'LF002', hint = 'do not commit through ctx.tx: return from the handler, and luaflow commits';
  end if;
  return null;
end;
$$;

create constraint trigger open_transactions_commit_with_completion
  after insert on pgflow.open_transactions
  deferrable initially deferred
  for each row execute function pgflow._refuse_commit();

do $$
begin
  create role pgflow_handler nologin;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise warning 'role pgflow_handler was not created: %', sqlerrm
      using hint = 'have an administrator run: create role pgflow_handler nologin; then migrate again';
end;
$$;
