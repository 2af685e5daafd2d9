-- With a delay of 0 the task can be claimed at once; the attempt counts.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.fail('a', p_delay => 0);
select is((select attempt from pgflow.claim_tasks(spec.worker(), 1, 'greet', 1) where kind = 'task'), 2, 'the second attempt');

select * from finish();
rollback;
