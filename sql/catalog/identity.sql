-- Which database this is, whatever way leads to it: its cluster, and its number in there. A copy of a cluster is called as
-- the cluster is, so which server it is says when that began, and which history it lives in its timeline.
select s.system_identifier::text || '/' || d.oid::text as identity,
       extract(epoch from pg_postmaster_start_time())::text as started,
       case when pg_is_in_recovery() then greatest(c.timeline_id, r.min_recovery_end_timeline)
            -- What the last checkpoint knows is old where a standby was promoted since.
            else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer
       end::text as timeline
  from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r, pg_database d
 where d.datname = current_database();
