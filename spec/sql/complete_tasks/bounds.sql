-- A position is that of an element, whatever bounds and dimensions the arrays have.
begin;
\ir ../support/fixtures.sql
select plan(3);

select spec.deploy('greet', spec.step('a'), spec.step('b'));
select spec.start('greet');
select spec.claim_all('greet');
select is(
  (
    select array_agg(c.answer order by c.ordinal)
    from pgflow.complete_tasks(
      array[spec.run(), spec.run()], '[0:1]={a,b}', '{0,0}', array[(spec.task('a')).claim_no, (spec.task('b')).claim_no], '[7:8]={1,2}'
    ) c
  ), '{done,done}', 'bounds of their own'
);
select is(array[(spec.task('a')).output, (spec.task('b')).output], '{1,2}', 'each has its output');

select spec.start('greet', p_run => 2);
select spec.claim_all('greet');
select pgflow.complete_tasks(
  array[spec.run(2), spec.run(2)], '{a,b}', '{0,0}', array[(spec.task('a', p_run => 2)).claim_no, (spec.task('b', p_run => 2)).claim_no], '{{3},{4}}'
);
select is(array[(spec.task('a', p_run => 2)).output, (spec.task('b', p_run => 2)).output], '{3,4}', 'two dimensions');

select * from finish();
rollback;
