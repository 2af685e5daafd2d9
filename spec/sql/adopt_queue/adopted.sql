-- An empty PGMQ queue is adopted, and a deployment may then use it.
begin;
\ir ../support/fixtures.sql
select plan(6);

select pgmq.create('mail');
select matches((select array_to_string(differences, ' ') from spec.deploy_registry(array[spec.flow('mail', array[spec.step('a')])])), 'pgflow.adopt_queue\(''mail''\)', 'the refusal names the way');
select lives_ok($$ select pgflow.adopt_queue('mail') $$, 'adopted');
select is((select queue_name from pgflow.queues), 'mail', 'recorded');
select lives_ok($$ select pgflow.adopt_queue('mail') $$, 'a repeated call does nothing');
select is((select status from spec.deploy_registry(array[spec.flow('mail', array[spec.step('a')])])), 'created', 'a deployment');
select spec.start('mail');
select is(spec.messages('mail'), 1::bigint, 'uses it');

select * from finish();
rollback;
