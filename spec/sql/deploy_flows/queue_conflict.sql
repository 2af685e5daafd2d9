-- A PGMQ queue that no deployment made is never adopted.
begin;
\ir ../support/fixtures.sql
select plan(4);

select pgmq.create('greet');
select pgmq.send('greet', '{"somebody": "else"}');
create temp table before as select spec.definitions() as definitions;
create temp table answer as select * from spec.deploy_registry(array[spec.flow('greet', array[spec.step('a')])]);
select is((select status from answer), 'queue_conflict', 'the status');
select matches((select array_to_string(differences, ' ') || message from answer), 'greet', 'the queue is named');
select is(spec.definitions(), (select definitions from before), 'nothing changed');
select is(spec.messages('greet'), 1::bigint, 'the foreign message is still there');

select * from finish();
rollback;
