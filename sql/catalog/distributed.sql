-- The number of distributed tables and of the servers that Citus uses for them; no row without Citus. The catalog tables of Citus may not
-- exist, so ts_stat() runs the query as a text.
select count(*) filter (where w.word like 'table %') as tables, count(*) filter (where w.word like 'node %') as nodes
  from ts_stat(case when to_regclass('pg_catalog.pg_dist_partition') is null then 'select null::tsvector where false'
                    else 'select array_to_tsvector(array_agg(''table '' || p.logicalrelid::oid)) from pg_catalog.pg_dist_partition p
                           union all
                          select array_to_tsvector(array_agg(''node '' || n.nodeid)) from pg_catalog.pg_dist_node n
                           where n.groupid <> 0 and n.isactive' end) w
having count(*) filter (where w.word like 'table %') > 0;
