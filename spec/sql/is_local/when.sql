-- True in a development database or by the setting of Supabase's command line, and nowhere else.
begin;
\ir ../support/fixtures.sql
select plan(4);

select is(pgflow.is_local(), false, 'a plain database');
set local app.settings.jwt_secret = 'something else';
select is(pgflow.is_local(), false, 'another secret');
set local app.settings.jwt_secret = 'super-secret-jwt-token-with-at-least-32-characters-long';
select is(pgflow.is_local(), true, 'the public one');
set local app.settings.jwt_secret = '';
update pgflow.settings set development = true;
select is(pgflow.is_local(), true, 'a development database');

select * from finish();
rollback;
