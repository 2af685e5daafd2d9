/* What the catalog, which every role can read, says about a broken schema pgflow: for commands, doctor and workers. */
#ifndef LUAFLOW_BASE_SCHEMA_FAULTS_H
#define LUAFLOW_BASE_SCHEMA_FAULTS_H

/* Texts of a group in order, the first five joined; what more says follows if there are others. */
#define SCHEMA_FIRST_FIVE(text, order, separator, more)                                              \
  "pg_catalog.array_to_string((pg_catalog.array_agg(" text " order by " order "))[1:5], '" separator \
  "')"                                                                                               \
  " || case when pg_catalog.count(*) > 5 then " more " else '' end"
#define SCHEMA_AND_MORE "pg_catalog.format(' and %s more', pg_catalog.count(*) - 5)"

/* The tables in name, and the statement that switches row security off for all of them. */
#define SCHEMA_TABLE_NAMES(name) SCHEMA_FIRST_FIVE(name, name, ", ", SCHEMA_AND_MORE)
#define SCHEMA_SHOW_ROWS(name)                                                                           \
  "case when pg_catalog.count(*) <= 5 then pg_catalog.string_agg('alter table ' || " name                \
  " || ' disable row level security', '; ' order by " name                                               \
  ") else 'do $all$ declare v_table regclass; begin for '"                                               \
  " || 'v_table in select c.oid from pg_class c where c.relnamespace = ''pgflow''::regnamespace and '"   \
  " || 'c.relrowsecurity loop execute format(''alter table %s disable row level security'', v_table); '" \
  " || 'end loop; end $all$' end"

/* message, hint: row security hides rows from the owner of the schema, with whose rights its functions run, or from
 * this role. No row if it hides none. */
#define SCHEMA_HIDDEN_SQL \
  "select 'row security hides rows of ' || " SCHEMA_TABLE_NAMES("t.name") " as message,"                    \
  " pg_catalog.format('as role %s: %s', t.owner, " SCHEMA_SHOW_ROWS("t.name") ") as hint from ("            \
  " select pg_catalog.format('pgflow.%I', c.relname) as name, pg_catalog.quote_ident(o.rolname) as owner"   \
  " from pg_catalog.pg_namespace n join pg_catalog.pg_roles o on o.oid = n.nspowner"                        \
  " join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relkind in ('r', 'p') and c.relrowsecurity"  \
  " where n.nspname = 'pgflow' and (not o.rolsuper and not o.rolbypassrls"                                  \
  " and (c.relforcerowsecurity or not pg_catalog.pg_has_role(o.oid, c.relowner, 'usage'))"                  \
  " or pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_table_privilege(c.oid, 'select')" \
  " and pg_catalog.row_security_active(c.oid))) t group by t.owner"

/* level, message, hint: tables whose rows are hidden from all roles but their owners. */
#define SCHEMA_ROW_SECURITY_SQL \
  "select 'problem', 'row security is on for ' || " SCHEMA_TABLE_NAMES("t.name") ","                                \
  " 'it hides every row from roles that do not own these tables; as their owner: ' || " SCHEMA_SHOW_ROWS("t.name")  \
  " from (select pg_catalog.format('pgflow.%I', c.relname) as name from pg_catalog.pg_class c"                      \
  " where c.relnamespace = pg_catalog.to_regnamespace('pgflow') and c.relrowsecurity) t"                            \
  " having pg_catalog.count(*) > 0"

/* level, message, hint: tables, views and functions that another role owns: the functions of the schema may have no
 * right to use them, or run with that role's rights. */
#define SCHEMA_FOREIGN_SQL \
  "select 'problem', pg_catalog.format('%s; schema pgflow belongs to role %s', " SCHEMA_FIRST_FIVE(                   \
      "pg_catalog.format('%s %s belongs to role %s', t.kind, t.name, t.has)", "t.kind, t.name", ", ",                 \
      SCHEMA_AND_MORE) ", t.owner),"                                                                                  \
  " pg_catalog.format('as a superuser%s: %s', case when not pg_catalog.bool_or(t.by_superuser) then"                 \
  " pg_catalog.format(', or as role %s if it is a member of %s',"                                                    \
  " pg_catalog.string_agg(distinct t.has, ', '), t.owner) end, " SCHEMA_FIRST_FIVE(                                   \
      "pg_catalog.format('alter %s %s owner to %s', t.kind, t.name, t.owner)", "t.kind, t.name", "; ",                \
      "'; then this check names the others'") ") from ("                                                              \
  " select x.kind, x.name, pg_catalog.quote_ident(r.rolname) as has, pg_catalog.quote_ident(o.rolname) as owner,"    \
  " r.rolsuper as by_superuser from pg_catalog.pg_namespace n join pg_catalog.pg_roles o on o.oid = n.nspowner"      \
  " cross join lateral ("                                                                                            \
  " select case c.relkind when 'v' then 'view' else 'table' end, pg_catalog.format('pgflow.%I', c.relname), "        \
  "c.relowner"                                                                                                       \
  " from pg_catalog.pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v')"                        \
  " union all select case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure::text, "      \
  "p.proowner from pg_catalog.pg_proc p where p.pronamespace = n.oid) x (kind, name, has)"                           \
  " join pg_catalog.pg_roles r on r.oid = x.has"                                                                     \
  " where n.nspname = 'pgflow' and r.oid <> o.oid and not (r.rolsuper and o.rolsuper)) t group by t.owner"

/* Names of functions and views as two text[] -> those of them that the schema lacks, null for none. */
#define SCHEMA_MISSING_SQL(functions, views)                                             \
  "select pg_catalog.string_agg(t.name, ', ' order by t.name) from ("                    \
  " select 'function pgflow.' || f.name from pg_catalog.unnest(" functions               \
  "::text[]) f (name) where not exists ("                                                \
  "select from pg_catalog.pg_proc p"                                                     \
  " where p.proname = f.name and p.pronamespace = pg_catalog.to_regnamespace('pgflow'))" \
  " union all"                                                                           \
  " select 'view pgflow.' || v.name from pg_catalog.unnest(" views                       \
  "::text[]) v (name) where not exists ("                                                \
  "select from pg_catalog.pg_class c where c.relname = v.name and c.relkind = 'v'"       \
  " and c.relnamespace = pg_catalog.to_regnamespace('pgflow'))) t (name)"

#endif
