-- fail_tasks also answers when the next attempt comes.
drop function if exists pgflow.fail_tasks(uuid[], text[], int[], bigint[], text[], float8[], boolean[], boolean[]);
