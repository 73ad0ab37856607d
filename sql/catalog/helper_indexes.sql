-- Indexes that a deletion built for itself and left behind when it was cut off: nobody who still runs says that they are his.
select n.nspname as schema,
       c.relname as name,
       pg_has_role(c.relowner, 'usage') as droppable
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
 where c.relkind = 'i'
   and c.relname ~ '^usher_helper_[0-9]+$'
   and not exists (select from pg_stat_activity a where a.pid::text = obj_description(c.oid, 'pg_class'))
   and not exists (select from pg_stat_progress_create_index p where p.index_relid = c.oid)
 order by 1, 2
