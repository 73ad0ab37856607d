-- The environment this database declares, and what speaks for believing it; no row, or an error, means production. What
-- stands in the table is asked for only once it is known whose it is: behind the name of a stranger's table could be a
-- view, whose functions would run as whoever reads it. So the question is text, which ts_stat() runs, and its answer words.
select w.name, w.marks, p.is_table, p.trusted_owner,
       w.system_identifier = (select s.system_identifier::text from pg_control_system() s) as same_cluster,
       w.database = p.database::text as same_database
  from (select c.relkind = 'r' as is_table,
               (s.rolsuper or s.oid = d.datdba) and (o.rolsuper or o.oid = d.datdba) as trusted_owner,
               d.oid as database
          from pg_namespace n
          join pg_class c on c.relnamespace = n.oid and c.relname = 'environment'
          join pg_roles s on s.oid = n.nspowner
          join pg_roles o on o.oid = c.relowner
          join pg_database d on d.datname = current_database()
         where n.nspname = 'usher') p,
       lateral (select max(ndoc) filter (where word = 'mark') as marks,
                       max(substr(word, 6)) filter (where word like 'name %') as name,
                       max(substr(word, 9)) filter (where word like 'cluster %') as system_identifier,
                       max(substr(word, 10)) filter (where word like 'database %') as database
                  from ts_stat(case when p.is_table and p.trusted_owner then
                               $$select array_to_tsvector(array['mark', 'name ' || e.name, 'cluster ' || e.system_identifier,
                                                                'database ' || e.database])
                                   from only usher.environment e$$
                               else 'select null::tsvector where false' end)) w
