-- An empty batch is fine.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'));
select is_empty($$ select * from pgflow.complete_tasks('{}', '{}', '{}', '{}', '{}') $$, 'no answers');
select is_empty($$ select * from pgflow.fail_tasks('{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}') $$, 'no failures');
select is_empty($$ select * from pgflow.release_tasks('{}', '{}', '{}', '{}') $$, 'no releases');

select * from finish();
rollback;
