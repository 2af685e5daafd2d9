-- What is ready starts; a run that has ended, or does not exist, is left alone.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b', '{a}'));
select spec.start('greet', p_run => n) from generate_series(1, 2) n;
update pgflow.step_states set remaining_deps = 0 where step_slug = 'b';
select from pgflow.cancel_run(spec.run(2));
select lives_ok(format('select pgflow.start_ready_steps(%L)', spec.run(n)), n::text) from unnest('{1}'::int[]) n;
select pgflow.start_ready_steps(spec.run(n)) from unnest('{2,9}'::int[]) n;
select is((spec.state('b')).status || ' ' || (spec.task('b')).status, 'started queued', 'the step');
select is((spec.state('b', 2)).status, 'created', 'the ended run');

select * from finish();
rollback;
