-- A claimed message is hidden until its task can be recovered: its effective timeout and 30 s; also where timeouts differ in one batch.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy_registry(array[spec.flow('greet', array[spec.step('short', p_options => '{"timeout": 10}'), spec.step('long', p_options => '{"timeout": 200}'), spec.step('usual')], '{"timeout": 50}')]);
select spec.start('greet');
select spec.claim_all('greet');
select ok(spec.about(spec.hidden_s_of('short'), 40), 'timeout 10: 40 s');
select ok(spec.about(spec.hidden_s_of('usual'), 80), 'the flow''s timeout 50: 80 s');
select ok(spec.about(spec.hidden_s_of('long'), 230), 'timeout 200: 230 s');

select * from finish();
rollback;
