-- F4: a run that fails with 100 messages outstanding, on two queues, archives them all; another run's stay.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('wide', array[spec.map('each'), spec.step('a'), spec.step('b')], '{"maxAttempts": 1}', p_routing => '{"b": "elsewhere"}')]);
select spec.start('wide', (select jsonb_agg(n) from generate_series(1, 100) n), 1);
select spec.start('wide', '[1]', 2);
select spec.claim_all('wide');
select spec.fail('a');
select is(spec.messages('wide') || ' ' || spec.archived('wide'), '2 101', 'the first queue');
select is(spec.messages('elsewhere') || ' ' || spec.archived('elsewhere'), '1 1', 'the second queue');
select is((select array_agg(distinct message ->> 'run_id') from pgmq.q_wide), array[spec.run(2)::text], 'what is left is the other run''s');

select * from finish();
rollback;
