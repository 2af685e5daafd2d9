-- The project's own tables. `luaflow dev` applies the files of this folder in the order of their names, each once, when it starts
-- and after --reset. In production they are applied like the other migrations of your application.
create table public.greetings (
  name text primary key,
  greeted_at timestamptz not null default now()
);
