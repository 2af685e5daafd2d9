-- Names are folded by the rules of "C", whatever the database's locale: in a Turkish one lower('I') is no i.
drop index pgflow.flows_lower_flow_slug_key;
create unique index flows_lower_flow_slug_key on pgflow.flows (lower(flow_slug collate "C"));
