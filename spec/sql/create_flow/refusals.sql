-- Slugs that are not valid, whose default queue cannot be had, or that differ from another only in case.
begin;
\ir ../support/fixtures.sql
select plan(8);

select throws_ok($$ select pgflow.create_flow('2fast') $$, '23514', 'new row for relation "flows" violates check constraint "slug_is_valid"', 'a slug that is not valid is a check violation');
select throws_ok($$ select pgflow.create_flow(null) $$, '23502', null, 'null is the table''s own refusal too');
select throws_ok($$ select pgflow.create_flow('run') $$, '23514', null, 'and the reserved word');
select lives_ok(format('select pgflow.create_flow(%L)', repeat('a', 47)), 'a slug of 47 characters makes its queue');
select throws_ok(format('select pgflow.create_flow(%L)', repeat('a', 48)), '23514', null, 'one of 48 has no queue of its own');
select pgmq.create('foreign_queue');
select throws_ok($$ select pgflow.create_flow('foreign_queue') $$, '23514', null, 'a queue that is not ours is not adopted');
select pgflow.create_flow('foo');
select throws_ok($$ select pgflow.create_flow('Foo') $$, '23505', 'flow Foo cannot be created: flow foo exists, and its slug differs only in case', 'a slug that differs only in case is refused');
select is((select array_agg(flow_slug order by flow_slug) from pgflow.flows), array[repeat('a', 47), 'foo'], 'nothing else was stored');

select * from finish();
rollback;
