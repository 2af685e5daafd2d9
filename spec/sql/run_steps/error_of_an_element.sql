-- The error of a map's element is shown by its message, whatever its handler raised.
begin;
\ir ../support/fixtures.sql
select plan(4);

select spec.deploy('prices', spec.map('price', p_options => '{"maxAttempts": 1}'));
select pgflow.start_flow('prices', '[1]', spec.run());
select spec.claim('prices');
select spec.fail('price', '{"kind": "http", "message": "no route", "url": "http://a"}');
select is((select s.error_message from pgflow.run_steps(spec.run()) s), 'task 0 (element 1): no route', 'the message of an error table');
select is(pgflow._error_text('{"kind": "http"}'), '{"kind": "http"}', 'without a message it is any other text');
select is(pgflow._error_text('{broken'), '{broken', 'what is no JSON is a text');
select is(pgflow._error_text('plain'), 'plain', 'a text');

select * from finish();
rollback;
