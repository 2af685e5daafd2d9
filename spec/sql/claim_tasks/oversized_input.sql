-- A task whose dependencies' outputs exceed together what jsonb can hold fails for good; the others of its queue go on.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('wide', spec.step('a'), spec.step('b'), spec.step('c'), spec.step('join', array['a', 'b', 'c']));
select spec.start('wide', p_run => n) from generate_series(1, 2) n;
select spec.claim_all('wide');
select spec.complete(s, to_jsonb(repeat('x', 100000000)), p_run => 1) from unnest(array['a', 'b', 'c']) s;
select spec.complete(s, '1', p_run => 2) from unnest(array['a', 'b', 'c']) s;

select is_empty($$ select spec.claim('wide') $$, 'the claim that meets it claims nothing');
select results_eq($$ select status, error_step_slug, error_message from pgflow.runs where run_id = spec.run(1) $$,
  $$ values ('failed', 'join', 'the outputs of its dependencies are too large together: 256 MB is the most that one jsonb value holds') $$, 'its run fails, and says why');
select is((spec.task('join', p_run => 1)).status, 'failed', 'by its task');
select is(array(select spec.claim('wide')), '{join:0}', 'the next claim takes the other');
select is(spec.complete('join', '2', p_run => 2), 'done', 'which completes');
select is_empty('select * from pgflow.check_invariants()', 'and all is consistent');

select * from finish();
rollback;
