-- What comes behind the entry that ended its step or run is stale, by (step_index, task_index), whatever the order of the arrays.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy_registry(array[spec.flow('prices', array[spec.map('price'), spec.step('after')], '{"maxAttempts": 1}')]);
select spec.start('prices', '[1, 2, 3]');
select spec.claim_all('prices');
select is(spec.fail_batch('{1,1,1}', '{after,price,price}', '{0,2,1}', '{after,two,one}'), '{stale,stale,done}', 'the run ends with the lowest one');
select is((spec.run_row()).error_message, 'one', 'whose message is the run''s');
select is(spec.tasks('price') || spec.tasks('after'), '{cancelled,failed,cancelled,cancelled}', 'all others are cancelled');
select spec.deploy_registry(array[spec.flow('skips', array[spec.map('price', p_when_exhausted => 'skip'), spec.step('after')], '{"maxAttempts": 1}')]);
select spec.start('skips', '[1, 2, 3]', 2);
select spec.claim_all('skips');
select is(spec.fail_batch('{2,2}', '{price,price}', '{2,1}', '{two,one}'), '{stale,done}', 'the same for a step');
select is(spec.tasks('price', 2), '{skipped,failed,skipped}', 'its other tasks are skipped');

select * from finish();
rollback;
