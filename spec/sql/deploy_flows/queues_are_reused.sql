-- A queue that an earlier deployment made is used again, with its messages.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('one', spec.step('a'));
select spec.start('one');
select is((select status from spec.deploy_registry(array[spec.flow('one', array[spec.step('a')]), spec.flow('two', array[spec.step('a')], p_routing => '{"a": "one"}')], 'one') where flow_slug = 'two'), 'created', 'the second flow is routed to it');
select is(spec.messages('one'), 1::bigint, 'the message is still there');

select * from finish();
rollback;
