-- A message whose task is started is hidden until the task can be recovered, or for 5 s if it already can; the task is not taken over.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'));
select spec.start('greet');
select spec.claim_all('greet');
select spec.age_claim('a', '10 seconds');
select spec.make_visible('greet');
select is_empty('select spec.claim(''greet'')', 'it is not claimed again');
select ok(spec.about(spec.hidden_s_of('a'), 80), 'claimed 10 s ago with 60 s: hidden for 80 s more');
select spec.age_claim('a', '95 seconds');
select spec.make_visible('greet');
select is_empty('select spec.claim(''greet'')', 'nor when it can be recovered');
select ok(spec.about(spec.hidden_s_of('a'), 5), 'hidden for 5 s');
select is(spec.nth_claim((spec.task('a')).claim_no), 1::bigint, 'its claim is what it was');
select is(spec.messages('greet'), 1::bigint, 'its message stays');

select * from finish();
rollback;
