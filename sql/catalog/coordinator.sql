-- Which database the coordinator of this worker is, as the coordinator says itself.
select c.result as identity
  from run_command_on_coordinator(
       $$select s.system_identifier::text || '/' || d.oid::text from pg_control_system() s, pg_database d
          where d.datname = current_database()$$) c
 where c.success;
