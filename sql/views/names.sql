-- Lists the names that commands take, by kind: 'flow' for each version, 'alias', 'function' for each worker function.
create or replace view pgflow.names as
select 'flow' as kind, f.flow_slug as name from pgflow.flows f
union all
select 'alias', a.flow_alias from pgflow.flow_aliases a
union all
select 'function', w.function_name from pgflow.worker_functions w;

comment on view pgflow.names is 'Every version, alias and worker function by name.';
