-- Declares the environment of this database.
insert into usher.environment (name, system_identifier, database)
select $1, s.system_identifier, d.oid
  from pg_control_system() s, pg_database d
 where d.datname = current_database()
    on conflict ((true)) do update
   set name = excluded.name, system_identifier = excluded.system_identifier, database = excluded.database,
       marked_at = excluded.marked_at, marked_by = excluded.marked_by
