-- A queue is neither adopted nor deployed to where its tables would run somebody else's code with the owner's rights: owned by a foreigner, or with a foreigner's trigger,
-- a trigger with a condition, a rule, row-level security, a reference, or an heir; or where a foreigner might add one. The reason is told before the tables are read. A role that is listed, or owned by a superuser, is trusted.
begin;
\ir ../support/fixtures.sql
select plan(19);

create role spec_foreigner;
grant usage on schema pgmq, spec to spec_foreigner;
select pgmq.create(q) from unnest('{owned,archived,trigger,ours,rule,policy,heir,view,condition,referenced,granted,column}'::text[]) q;
alter table pgmq.q_owned owner to spec_foreigner;
alter table pgmq.a_archived owner to spec_foreigner;
create function spec.foreign() returns trigger language plpgsql as 'begin return null; end';
create function spec.own() returns trigger language plpgsql as 'begin return null; end';
alter function spec.foreign() owner to spec_foreigner;
create trigger spy after insert on pgmq.q_trigger for each statement execute function spec.foreign();
create trigger mine after insert on pgmq.q_ours for each statement execute function spec.own();
create rule spy as on insert to pgmq.q_rule do also notify spec;
alter table pgmq.a_policy enable row level security;
create table spec.heir () inherits (pgmq.q_heir);
drop table pgmq.q_view;
create view pgmq.q_view as select 1 / 0 as msg_id;

create function spec.evil() returns boolean language sql as 'select true';
alter function spec.evil() owner to spec_foreigner;
create trigger spy before insert on pgmq.q_condition for each row when (spec.evil()) execute function spec.own();
create table spec.referring (msg_id bigint references pgmq.a_referenced on delete cascade);
grant trigger on pgmq.q_granted to spec_foreigner;
grant references (msg_id) on pgmq.q_column to public;

create function spec.refused(p_queue text, p_reason text) returns text language sql as $$
  select throws_like(format('select pgflow.adopt_queue(%L)', p_queue), format('queue ''%s'' cannot be adopted: table pgmq.%s; luaflow would run another role''s code%%', p_queue, p_reason), p_queue);
$$;
select spec.refused('owned', 'q_owned belongs to role spec_foreigner');
select spec.refused('archived', 'a_archived belongs to role spec_foreigner');
select spec.refused('trigger', 'q_trigger has trigger spy, whose function belongs to role spec_foreigner');
select spec.refused('rule', 'q_rule has rules');
select spec.refused('policy', 'a_policy has row-level security');
select spec.refused('heir', 'q_heir inherits from another table, or another inherits from it');
select spec.refused('view', 'q_view is not a plain table');
select spec.refused('condition', 'q_condition has trigger spy with a condition');
select spec.refused('referenced', 'a_referenced is referenced by table spec.referring');
select spec.refused('granted', 'q_granted can get triggers or foreign keys from role spec_foreigner (revoke%)');
select spec.refused('column', 'q_column can get triggers or foreign keys from every role (revoke%)');
select is_empty('select * from pgflow.queues', 'none is recorded');
select lives_ok($$ select pgflow.adopt_queue('ours') $$, 'one with a trigger of our own');

update pgflow.settings set trusted_roles = '{spec_foreigner}';
select lives_ok($$ select pgflow.adopt_queue('owned'), pgflow.adopt_queue('archived'), pgflow.adopt_queue('trigger') $$, 'a role that is listed');
select throws_like($$ select pgflow.adopt_queue('rule') $$, '%has rules%', 'which says nothing about rules');

-- One that a deployment made, and that somebody has made anew.
update pgflow.settings set trusted_roles = '{}';
select matches((select array_to_string(differences, ' ') from spec.deploy_registry(array[spec.flow('owned', array[spec.step('a')])])),
  'queue ''owned'' cannot be used: table pgmq.q_owned belongs to role spec_foreigner', 'no deployment uses it');
-- One that PGMQ does not list, for PGMQ would take the table over.
create table pgmq.q_planted (msg_id bigint);
alter table pgmq.q_planted owner to spec_foreigner;
select matches((select array_to_string(differences, ' ') from spec.deploy_registry(array[spec.flow('planted', array[spec.step('a')])])),
  'queue ''planted'' cannot be used: table pgmq.q_planted belongs to role spec_foreigner', 'nor one that waits for its queue');
select is_empty($$ select * from pgflow.flows $$, 'nothing is stored');

alter role spec_foreigner superuser;
select is((select status from spec.deploy_registry(array[spec.flow('owned', array[spec.step('a')])])), 'created', 'a superuser is trusted');

select * from finish();
rollback;
