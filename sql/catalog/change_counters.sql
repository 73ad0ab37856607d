-- What this session has written, by table; only differences mean anything, since earlier transactions may still be counted in.
select relid::text as "table", n_tup_ins as inserted, n_tup_upd as updated, n_tup_del as deleted
  from pg_catalog.pg_stat_xact_user_tables
 where schemaname <> 'usher'
   and n_tup_ins + n_tup_upd + n_tup_del > 0
