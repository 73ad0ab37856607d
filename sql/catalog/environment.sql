-- The environment that this database declares, and the facts that prove the declaration. No row, or an error, means production. The query
-- reads the table only if a trusted role owns it. Otherwise the table could be a view, whose functions would run as the reader. For this
-- condition, ts_stat() runs the query as a text, and returns the row as words.
select w.name, w.marks, p.is_table, p.trusted_owner,
       w.system_identifier = (select s.system_identifier::text from pg_control_system() s) as same_cluster,
       w.database = p.database::text as same_database
  from (select c.relkind = 'r' as is_table, d.oid as database,
               not exists (select from unnest(array[(select n.nspowner from pg_namespace n where n.oid = c.relnamespace), c.relowner]) w (owner)
                            where w.owner <> d.datdba and not exists (select from pg_roles o where o.oid = w.owner and o.rolsuper)) as trusted_owner
          from pg_class c, pg_database d
         where c.relname = 'environment' and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = 'usher')
           and d.datname = current_database()
        -- With `offset 0`, the planner doesn't compute these values again for each column.
        offset 0) p,
       lateral (select max(ndoc) filter (where word = 'mark') as marks,
                       max(substr(word, 6)) filter (where word like 'name %') as name,
                       max(substr(word, 9)) filter (where word like 'cluster %') as system_identifier,
                       max(substr(word, 10)) filter (where word like 'database %') as database
                  from ts_stat(case when p.is_table and p.trusted_owner then
                               $$select array_to_tsvector(array['mark', 'name ' || e.name, 'cluster ' || e.system_identifier,
                                                                'database ' || e.database])
                                   from only usher.environment e$$
                               else 'select null::tsvector where false' end)) w
