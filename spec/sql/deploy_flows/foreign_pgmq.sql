-- A schema pgmq in which somebody else may create is not deployed to: a function there that fits a call of PGMQ's better than PGMQ's own would run with the owner's rights. Nor is
-- one that belongs to somebody else, or has a function that does.
begin;
\ir ../support/fixtures.sql
select plan(11);

create role spec_foreigner;
create function spec.deployed() returns text language sql as $$
  select status || ': ' || array_to_string(differences, ' ') from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])]);
$$;
create function spec.refused(p_reason text, p_remedy text) returns text language sql as $$
  select matches(spec.deployed(), format('^queue_conflict: queue ''greet'' cannot be used: %s; luaflow would run another role''s code with the rights of role .*; .*%s', p_reason, p_remedy), p_reason);
$$;

grant create on schema pgmq to spec_foreigner;
select spec.refused('role spec_foreigner may create in schema pgmq', 'revoke create on schema pgmq from spec_foreigner');
select throws_like($$ select pgflow.adopt_queue('any') $$, '%role spec_foreigner may create in schema pgmq%', 'nor is a queue adopted');
select throws_like($$ select pgflow.create_flow('other') $$, '%role spec_foreigner may create in schema pgmq%', 'nor a flow created');
select throws_like($$ select pgflow.deploy_flows(spec.worker(), 'spec', 'evil', '{"flows": []}', 1) $$, '%role spec_foreigner may create in schema pgmq%', 'nor a worker without flows registered');
revoke create on schema pgmq from spec_foreigner;
grant create on schema pgmq to public;
select spec.refused('every role may create in schema pgmq', 'revoke create on schema pgmq from public');
revoke create on schema pgmq from public;

create function pgmq.send_batch(text, jsonb[], text, timestamptz) returns setof bigint language sql as 'select 1 / 0::bigint';
alter function pgmq.send_batch(text, jsonb[], text, timestamptz) owner to spec_foreigner;
select spec.refused('function pgmq.send_batch\(text,jsonb\[\],text,timestamp with time zone\) belongs to role spec_foreigner', 'drop function pgmq.send_batch');
drop function pgmq.send_batch(text, jsonb[], text, timestamptz);

create temp table was as select n.nspowner::regrole as owner from pg_namespace n where n.nspname = 'pgmq';
alter schema pgmq owner to spec_foreigner;
select spec.refused('schema pgmq belongs to role spec_foreigner', 'alter schema pgmq owner to');
update pgflow.settings set trusted_roles = '{spec_foreigner}';
select matches(spec.deployed(), '^created: ', 'a role that is listed is trusted');
update pgflow.settings set trusted_roles = '{}';
select throws_like($$ select pgflow.create_flow('other') $$, '%schema pgmq belongs to role spec_foreigner%', 'and is so no longer');
do $$ begin execute format('alter schema pgmq owner to %s', (select owner from was)); end $$;

create view pgmq.q_evil as select 1 as msg_id;
alter view pgmq.q_evil owner to spec_foreigner;
select throws_like($$ select pgflow.deploy_flows(spec.worker(), 'spec', 'evil', '{"flows": []}', 1) $$, '%no worker can serve queue ''evil'': table pgmq.q_evil is not a plain table%', 'nor does a worker serve a view');
select is_empty($$ select from pgflow.workers w where w.queue_name = 'evil' $$, 'none is registered');

select * from finish();
rollback;
