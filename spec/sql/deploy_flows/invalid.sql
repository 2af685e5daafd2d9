-- A slug or an alias that is not valid is refused.
begin;
\ir ../support/fixtures.sql
select plan(3);

select is((select status from spec.deploy_registry(array[spec.flow('2fast', array[spec.step('a')])], 'q')), 'invalid', 'slug');
select is((select status from spec.deploy_registry(array[spec.flow('fine', array[spec.step('a')], p_alias => 'run')])), 'invalid', 'alias');
select is((select count(*) from pgflow.flows), 0::bigint, 'nothing was stored');

select * from finish();
rollback;
