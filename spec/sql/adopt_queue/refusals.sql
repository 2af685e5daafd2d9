-- Refused with the reason: unknown to PGMQ, not canonical, or in use by somebody else, archive included. Nothing changes.
begin;
\ir ../support/fixtures.sql
select plan(9);

select pgmq.create(q) from unnest('{Upper,waiting,archived,ours}'::text[]) q;
select pgmq.send('waiting', '{}');
select pgmq.send('archived', '{}');
select pgmq.archive('archived', 1);
select throws_ok($$ select pgflow.adopt_queue('gone') $$, '42704', 'PGMQ has no queue ''gone''', 'unknown');
select throws_like($$ select pgflow.adopt_queue('Upper') $$, 'queue ''Upper'' cannot be adopted: a queue name has at most 47 characters%', 'not canonical');
select throws_like($$ select pgflow.adopt_queue('upper') $$, 'queue ''Upper'' cannot be adopted: a queue name has at most 47 characters%', 'not canonical, asked for by another case');
select throws_ok($$ select pgflow.adopt_queue('waiting') $$, '55000', 'queue ''waiting'' cannot be adopted: it holds messages that belong to no task: 1 waiting, 0 archived', 'a foreign message');
select throws_ok($$ select pgflow.adopt_queue('archived') $$, '55000', 'queue ''archived'' cannot be adopted: it holds messages that belong to no task: 0 waiting, 1 archived', 'a foreign archive row');
select throws_ok($$ select pgflow.adopt_queue(null) $$, '42704', null, 'no name');
select is_empty('select * from pgflow.queues', 'none is recorded');
select pgflow.adopt_queue('ours');
select spec.deploy('ours', spec.step('a'), spec.step('b'));
select spec.start('ours');
select spec.claim('ours', 1);
select spec.complete('a');
delete from pgflow.queues;
select lives_ok($$ select pgflow.adopt_queue('ours') $$, 'messages and archive rows that are ours');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
