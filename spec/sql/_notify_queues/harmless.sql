-- Wake-ups for no queues, null names and queues without any worker are no error.
begin;
\ir ../support/fixtures.sql
select plan(4);

select lives_ok($$ select pgflow._notify_queues(null) $$, 'null');
select lives_ok($$ select pgflow._notify_queues('{}') $$, 'none');
select lives_ok($$ select pgflow._notify_queues(array[null, 'nowhere', 'nowhere']) $$, 'null and unknown names');
select spec.deploy('greet', spec.step('a'));
select lives_ok($$ select pgflow._notify_queues(array['greet', 'greet']) $$, 'a queue with a live worker');

select * from finish();
rollback;
