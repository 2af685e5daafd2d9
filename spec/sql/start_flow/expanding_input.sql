-- An input that is small as a value and gigantic as text is refused when the run starts: nothing of it reaches a queue.
begin;
\ir ../support/fixtures.sql
select plan(5);

select spec.deploy('one', spec.step('a'));
select throws_ok(
  $$ select pgflow.start_flow('one', ('[' || repeat('1e131071,', 40) || '1]')::jsonb) $$, '54000', null, 'numbers with very many digits'
);
select throws_like(
  $$ select pgflow.start_flow('one', ('[' || repeat('1e131071,', 40) || '1]')::jsonb) $$, 'the input is 5___ kB as JSON text, and % bytes as a value%', 'are named by size'
);
select lives_ok($$ select pgflow.start_flow('one', ('[' || repeat('1e308,', 1000) || '1]')::jsonb) $$, 'the largest doubles pass');
select lives_ok($$ select pgflow.start_flow('one', to_jsonb(repeat('x', 100000))) $$, 'so does long text');
select lives_ok($$ select pgflow.start_flow('one', ('[' || repeat('1e131071,', 5) || '1]')::jsonb) $$, 'few such numbers do no harm');

select * from finish();
rollback;
