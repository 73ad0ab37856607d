-- Which database this is, whatever way leads to it: its cluster, and its number in there.
select s.system_identifier::text || '/' || d.oid::text as identity
  from pg_control_system() s, pg_database d
 where d.datname = current_database();
