-- Which aliases the workers that were asked have moved since.
begin;
\ir ../support/fixtures.sql
select plan(3);

create function spec.version(p_n int, p_retained boolean default false) returns jsonb language sql as $$
  select spec.flow('greet_v' || p_n, array[spec.step('a')], p_alias => 'greet', p_retained => p_retained);
$$;
create function spec.moves(p_since timestamptz) returns setof text language sql as $$
  select concat_ws(' ', m.message, m.moved_back) from pgflow.moved_aliases(array[spec.worker()], p_since) m;
$$;
select spec.deploy_registry(array[spec.version(1)], 'greet', 2);
select is_empty($$ select spec.moves(now()) $$, 'another worker''s');
select spec.deploy_registry(array[spec.version(2), spec.version(1, true)], 'greet');
select spec.deploy_registry(array[spec.version(1), spec.version(2, true)], 'greet');
select results_eq($$ select spec.moves(now()) $$, $$ values
  ('alias greet: greet_v1 -> greet_v2, by worker ' || spec.worker() || ' of queue greet f'),
  ('alias greet: greet_v2 -> greet_v1, which had been replaced, by worker ' || spec.worker() || ' of queue greet t')
$$, 'forth and back');
select is_empty($$ select spec.moves(now() + interval '1 second') $$, 'none since');

select * from finish();
rollback;
