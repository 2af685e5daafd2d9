-- A step's transaction commits only together with its completion. The guard is deferred to the commit: here it is called for at once.
begin;
\ir ../support/fixtures.sql
select plan(12);

select spec.deploy('bank', spec.step('transfer'), spec.step('listed'), spec.map('each', 'listed'));
select spec.start('bank');
select spec.claim_all('bank');
create temp table opened as select spec.open('transfer', 60000) as token;

select throws_ok('set constraints all immediate', 'LF002', 'the transaction of a step commits only together with its completion', 'a commit of the handler''s own fails');
select throws_ok($$ select pgflow.complete_transaction(gen_random_uuid(), spec.run(), 'transfer', 0, spec.claim_no('transfer'), '1') $$, 'LF002', null, 'another token is refused');
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'transfer', 0, spec.claim_no('transfer') + 1, '1') $$, token), 'LF001', null, 'another claim is refused') from opened;
select is((spec.task('transfer')).status, 'started', 'nothing was completed');
select lives_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'transfer', 0, spec.claim_no('transfer'), '{"n": 1}') $$, token), 'the right one completes the task') from opened;
select is((spec.task('transfer')).output, '{"n": 1}'::jsonb, 'with its output');
select lives_ok('set constraints all immediate', 'then it may commit');
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'transfer', 0, spec.claim_no('transfer'), '1') $$, token), 'LF002', null, 'a token serves once') from opened;
select throws_ok($$ select spec.open('transfer', 60000) $$, 'LF001', null, 'a task that has ended opens none');
select is(spec.release('transfer'), 'already', 'a release tells that it was completed');

set constraints all deferred;
truncate opened;
insert into opened select spec.open('listed', 60000);
select throws_ok(format($$ select pgflow.complete_transaction(%L, spec.run(), 'listed', 0, spec.claim_no('listed'), '{}') $$, token), 'LF003', null, 'an output that violates its type is told apart') from opened;
select is((spec.task('listed')).status, 'started', 'and nothing is recorded');

select * from finish();
rollback;
