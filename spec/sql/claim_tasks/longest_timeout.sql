-- The longest timeout that there can be stops no claim of its queue.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('a', p_options => '{"timeout": 2147483647}'), spec.step('b'));
select spec.start('greet');
select set_eq($$ select spec.claim('greet') $$, '{a:0,b:0}'::text[], 'both are claimed');
select ok(spec.hidden_s_of('a') > 2e9, 'one is hidden for long');
select lives_ok($$ select pgflow.recover_tasks(spec.worker()) $$, 'recovery');
select pgflow.create_flow('old', timeout => 2147483647);
select pgflow.add_step('old', 'a');
select spec.start('old', p_run => 2);
select is((select step_slug from pgflow.start_tasks('old', '{1}', spec.worker())), 'a', 'start_tasks');
select is_empty($$ select * from pgflow.check_invariants(true) $$, 'all is consistent');

select * from finish();
rollback;
