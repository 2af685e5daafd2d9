-- Every answer says when the next hidden message becomes visible.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('later', p_options => '{"startDelay": 30}'), spec.step('now'));
select spec.start('greet');
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'answer';
select ok((select next_visible_ms > 28000 and next_visible_ms <= 30000 from answer), 'the delayed one comes next, before the claimed one''s recovery');
select ok((select next_visible_ms > 28000 and next_visible_ms <= 30000 from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) where kind = 'answer'), 'an empty answer says so too');

select * from finish();
rollback;
