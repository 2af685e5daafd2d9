-- A start delay hides the first message only; the step is started at once.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('greet', spec.step('now'), spec.step('later', p_options => '{"startDelay": 40}'), spec.map('each', 'now', '{"startDelay": 7}'));
select spec.start('greet');
select is(spec.states(), '{"now": "started", "later": "started", "each": "created"}'::jsonb, 'both roots are started');
select ok(spec.about(spec.hidden_s_of('later'), 40), 'the delayed message is hidden for 40 s');
select ok(spec.hidden_s_of('now') <= 0, 'the other is visible');
select results_eq('select spec.claim(''greet'')', array['now:0'], 'only that one can be claimed');
select spec.complete('now', '[1, 2]');
select ok(spec.about(spec.hidden_s_of('each', 1), 7), 'a map''s delay counts from its start');

select * from finish();
rollback;
