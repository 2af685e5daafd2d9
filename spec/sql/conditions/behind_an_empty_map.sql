-- A step that becomes ready through an empty map has its condition evaluated.
begin;
\ir ../support/fixtures.sql
select plan(1);

select spec.deploy('prices', spec.map('price'), spec.step('total', '{price}', p_only_if => '{"price": [1]}'), spec.step('other', '{price}', p_unless => '{"price": [1]}'));
select spec.start('prices', '[]');
select is(spec.states(), '{"price": "completed", "total": "skipped", "other": "started"}'::jsonb, 'the states');

select * from finish();
rollback;
