-- realtime.send runs with the owner's rights, so it is called only where it and its schema belong to superusers, to the owner of the functions, or to roles that are listed.
begin;
\ir ../support/fixtures.sql
select plan(6);

create role spec_foreigner;
create schema realtime;
create table realtime.sent (event text, role text);
grant all on realtime.sent to spec_foreigner;
create function realtime.send(payload jsonb, event text, topic text, private boolean) returns void
language sql as $$ insert into realtime.sent values (event, current_user); $$;
grant usage on schema realtime to spec_foreigner;
select spec.deploy('orders', spec.step('one'));

create function spec.sent() returns bigint language plpgsql as $$
declare v_count bigint;
begin
  delete from realtime.sent;
  perform pgflow.start_flow('orders', '{}');
  select count(*) into v_count from realtime.sent;
  return v_count;
end;
$$;
select is(spec.sent(), 2::bigint, 'the owner''s');
alter function realtime.send(jsonb, text, text, boolean) owner to spec_foreigner;
select is(spec.sent(), 0::bigint, 'a foreigner''s function');
alter function realtime.send(jsonb, text, text, boolean) owner to current_user;
alter schema realtime owner to spec_foreigner;
select is(spec.sent(), 0::bigint, 'a foreigner''s schema, where he may put another function');
alter function realtime.send(jsonb, text, text, boolean) owner to spec_foreigner;
select is(spec.sent(), 0::bigint, 'both');
update pgflow.settings set trusted_roles = '{other,spec_foreigner}';
select is(spec.sent(), 2::bigint, 'listed');
update pgflow.settings set trusted_roles = '{}';
alter role spec_foreigner superuser;
select is(spec.sent(), 2::bigint, 'a superuser''s');

select * from finish();
rollback;
