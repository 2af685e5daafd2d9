-- I7 judges a started task only once it can be recovered.
begin;
\ir ../support/fixtures.sql
select plan(2);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet', 1);
delete from pgflow.worker_handlers where step_slug = 'a';
select spec.make_visible('greet');
select results_eq('select spec.claim(''greet'')', array['b:0'], 'not recoverable yet: the rest is claimed');
select spec.release('b');
select spec.age_claim('a', '91 seconds');
select spec.make_visible('greet');
select results_eq($$ select kind, flow_slug, step_slug, status from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10) $$,
  $$ values ('unknown', 'greet', 'a', null), ('answer', null, null, 'unknown_pairs') $$, 'recoverable: nothing is');

select * from finish();
rollback;
