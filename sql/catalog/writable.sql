-- Tests if this session could change at least one of some tables, directly or by an action.
select not pg_is_in_recovery() and not current_setting('transaction_read_only')::boolean
       and (coalesce(bool_or(has_schema_privilege(n.oid, 'usage')
                             and has_any_column_privilege(c.oid, 'insert, update')
                              or has_table_privilege(c.oid, 'delete')), cardinality($1::text[]) = 0)
            or exists (select from pg_proc f join pg_namespace s on s.oid = f.pronamespace
                        where s.nspname = 'usher' and f.proname = 'run' and has_function_privilege(f.oid, 'execute'))) as writable
  from unnest($1::text[], $2::text[]) as wanted (schema, name)
  left join pg_namespace n on n.nspname = wanted.schema
  left join pg_class c on c.relnamespace = n.oid and c.relname = wanted.name
