-- _flow_differences compares shape and routing of a flow.
drop function if exists pgflow._compare_flow_routings(jsonb, jsonb);
