-- I7: a batch with work that the registry does not know is not claimed at all; the pairs come back and everything is as it was.
begin;
\ir ../support/fixtures.sql
select plan(6);

select spec.deploy('greet', spec.step('a'), spec.step('b'), spec.step('c'));
select spec.start('greet');
delete from pgflow.worker_handlers where step_slug in ('b', 'c');
create temp table before as select spec.runtime() as runtime;
create temp table answer as select * from pgflow.claim_tasks(spec.worker(), 1, 'greet', 10);
select set_eq($$ select flow_slug, step_slug from answer where kind = 'unknown' $$, $$ values ('greet', 'b'), ('greet', 'c') $$, 'the pairs are named');
select is_empty($$ select from answer where kind in ('task', 'orphan') $$, 'no task is given out, not even a known one');
select is((select status from answer where kind = 'answer'), 'unknown_pairs', 'the answer');
select is(spec.runtime(), (select runtime from before), 'no row of run, step or task changed');
select ok(greatest(spec.hidden_s_of('a'), spec.hidden_s_of('b'), spec.hidden_s_of('c')) <= 0, 'every message is visible again');
insert into pgflow.worker_handlers values (spec.worker(), 'greet', 'b'), (spec.worker(), 'greet', 'c');
select set_eq('select spec.claim(''greet'')', array['a:0', 'b:0', 'c:0'], 'a complete registry claims all of it');

select * from finish();
rollback;
