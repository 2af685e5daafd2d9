-- F18: message ids above 2^31 are exact everywhere.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
alter table pgmq.q_greet alter column msg_id restart with 9007199254740993;
select spec.start('greet');
select is((select msg_id from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'task'), 9007199254740993, 'claimed');
select ok(spec.about(spec.hidden_s('greet', 9007199254740993), 90), 'hidden');
select spec.fail('a');
select ok(spec.about(spec.hidden_s('greet', 9007199254740993), 10), 'delayed');
select spec.make_visible('greet');
select spec.claim_all('greet');
select spec.complete('a', '9007199254740995');
select is((select msg_id from pgmq.a_greet), 9007199254740993, 'archived');
select is((select (msg_id, input)::text from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'task'), '(9007199254740994,"{""a"": 9007199254740995}")', 'integers above 2^53 are exact');

select * from finish();
rollback;
