-- Whoever may create in schema pgmq puts a view there, whose code would run with the owner's rights: nothing looks at a queue that is not recorded, or whose tables are not
-- ordinary ones of a role that is trusted.
begin;
\ir ../support/fixtures.sql
select plan(9);

create role spec_foreigner;
grant usage on schema spec to spec_foreigner;
grant pgflow_reader to spec_foreigner;
create sequence spec.caught;
grant usage on sequence spec.caught to public;
select spec.deploy('gone', spec.step('a')); -- a recorded queue, whose table the foreigner makes after it was dropped
select pgmq.drop_queue('gone');
select spec.deploy('fine', spec.step('a'));

grant create on schema spec, pgmq to spec_foreigner;
grant usage on schema pgmq to spec_foreigner;
set role spec_foreigner;
create function spec.pwn() returns timestamptz language plpgsql as $$ begin perform nextval('spec.caught'); return now(); end $$;
create view pgmq.q_evil as select 1::bigint msg_id, 1 read_ct, spec.pwn() vt, now() enqueued_at;
create view pgmq.q_gone as select 1::bigint msg_id, 1 read_ct, spec.pwn() vt, now() enqueued_at;
select throws_ok($$ select * from pgflow.queue_faults('evil') $$, '42P01', 'queue ''evil'' cannot be read: luaflow does not know it, its table is missing, or its table is not trusted', 'not recorded');
select throws_ok($$ select * from pgflow.queue_faults('gone') $$, '42P01', 'queue ''gone'' cannot be read: luaflow does not know it, its table is missing, or its table is not trusted', 'not trusted');
select is((select depth from pgflow.queue_figures('evil')), null, 'queue_figures: not recorded');
select is((select depth from pgflow.queue_figures('gone')), null, 'queue_figures: not trusted');
select is_empty($$ select * from pgflow.worker_tasks() $$, 'worker_tasks');
select isnt_empty($$ select * from pgflow.check_invariants(true) where invariant = 'queue exists' and subject = 'gone' $$, 'check_invariants says so');
select is((select array_agg(queue_name order by queue_name) from pgflow.trust_faults()), '{gone,NULL}', 'trust_faults names it, and PGMQ');
select isnt_empty($$ select * from pgflow.queue_faults('fine') $$, 'a queue of ours is looked at');
reset role;
select is(nextval('spec.caught'), 1::bigint, 'no code of the foreigner ran');

select * from finish();
rollback;
