-- Which of some rights a role ($6, else the connected one) lacks: on columns of tables ($3, of which $5 is a column, `*` each, or
-- nothing for any), on the sequences behind columns that nobody fills (`default`, besides the columns $5), and on functions and
-- sequences that a source names ($4). Which of several functions is called nobody knows, so all have to be closed; a bare name is
-- that of one of the server's own before that.
with wanted as (
    select w.place, w.privilege, w."table", parse_ident(nullif(w.name, '')) as parts, w."column"
      from unnest($1::int[], $2::text[], $3::oid[], $4::text[], $5::text[]) as w (place, privilege, "table", name, "column")
), tables as (
    select w.place, w.privilege, w."column", c.oid, c.relnamespace, n.nspname, c.relname
      from wanted w
      join pg_class c on c.oid = w."table"
      join pg_namespace n on n.oid = c.relnamespace
), functions as (
    select w.place, p.oid, p.pronamespace, n.nspname, p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name,
           has_schema_privilege(coalesce($6::text, current_user::text), n.oid, 'usage') and has_function_privilege(coalesce($6::text, current_user::text), p.oid, 'execute') as is_open
      from wanted w
      join pg_proc p on p.proname = w.parts[cardinality(w.parts)]
      join pg_namespace n on n.oid = p.pronamespace
     where w.privilege = 'execute'
       and case when cardinality(w.parts) > 1 then n.nspname = w.parts[1]
                else not exists (select from pg_proc o where o.proname = p.proname and o.pronamespace = 'pg_catalog'::regnamespace) end
), sequences as (
    select w.place, n.nspname, c.relname, c.oid
      from wanted w
      join pg_class c on c.relkind = 'S' and c.relname = w.parts[cardinality(w.parts)]
      join pg_namespace n on n.oid = c.relnamespace and n.nspname = case when cardinality(w.parts) > 1 then w.parts[1] else n.nspname end
     where w.privilege = 'usage'
     union
    select w.place, n.nspname, s.relname, s.oid
      from tables w
      join pg_attrdef f on f.adrelid = w.oid
      join pg_attribute a on a.attrelid = f.adrelid and a.attnum = f.adnum
      join pg_depend d on d.classid = 'pg_attrdef'::regclass and d.objid = f.oid and d.refclassid = 'pg_class'::regclass
      join pg_class s on s.oid = d.refobjid and s.relkind = 'S'
      join pg_namespace n on n.oid = s.relnamespace
     where w.privilege = 'default' and a.attname::text <> all (case when w.privilege = 'default' then w."column"::text[] end)
)
select t.place, t.privilege, t.nspname as schema, t.relname as name, array_agg(a.attname order by a.attnum) as columns
  from tables t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and t."column" in ('*', a.attname::text)
 where t.privilege in ('select', 'insert', 'update') and not has_column_privilege(coalesce($6::text, current_user::text), t.oid, a.attnum, t.privilege)
 group by t.place, t.privilege, t.nspname, t.relname
 union all
select t.place, t.privilege, t.nspname, t.relname, '{}'
  from tables t
 where t."column" = ''
   and case when t.privilege = 'delete' then not has_table_privilege(coalesce($6::text, current_user::text), t.oid, 'delete')
            when t.privilege <> 'default' then not has_any_column_privilege(coalesce($6::text, current_user::text), t.oid, t.privilege) end
 union all
select distinct f.place, 'execute', f.nspname, f.name, '{}'::name[]
  from functions f
 where not exists (select from functions o where o.place = f.place and o.is_open)
 union all
select s.place, 'usage', s.nspname, s.relname, '{}'
  from sequences s
 where not has_sequence_privilege(coalesce($6::text, current_user::text), s.oid, 'usage')
 union all
-- What stands in a schema that is not for the role to use is not either, whatever is granted on it.
select p.place, 'usage', p.nspname, '', '{}'
  from (select t.place, t.nspname, t.relnamespace as oid from tables t union select f.place, f.nspname, f.pronamespace from functions f
         where not exists (select from functions o where o.place = f.place and o.is_open)) p
 where not has_schema_privilege(coalesce($6::text, current_user::text), p.oid, 'usage')
 order by 1, 2, 3, 4
