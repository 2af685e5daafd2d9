-- Troubles of reloads: others hold what the deployment needs; old generations use much memory.
alter table pgflow.worker_troubles
  drop constraint worker_troubles_trouble_check,
  add constraint worker_troubles_trouble_check check (trouble in (
    'unrecorded', 'claim', 'reconcile', 'heartbeat', 'recovery', 'executors', 'descriptors', 'connections', 'held_back', 'deployment', 'memory'
  ));
