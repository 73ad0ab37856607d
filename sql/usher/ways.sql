-- A way to each other server that keeps rows of this database, where Citus has spread them: what is selected from it is answered
-- there, in the session in which this transaction writes there. One value that would lie on a server is enough, whether or not
-- a row holds it.
create or replace function usher.ways() returns setof text
language plpgsql volatile
as $$
declare
    open integer[] := array(select distinct p.groupid from pg_catalog.pg_dist_placement p where p.groupid <> 0);
    spread record;
    value text;
    server integer;
begin
    for spread in
        select d.logicalrelid as relation, column_to_column_name(d.logicalrelid, d.partkey) as key, a.atttypid::regtype as type,
               t.typcategory as category, p.servers
          from (select distinct on (p.colocationid, p.partmethod) p.logicalrelid, p.partkey
                  from pg_catalog.pg_dist_partition p
                 where (p.partmethod = 'h' or p.partmethod = 'n' and p.repmodel = 's')
                   and has_table_privilege(p.logicalrelid, 'select')) d
          left join pg_attribute a on a.attrelid = d.logicalrelid and a.attname = column_to_column_name(d.logicalrelid, d.partkey)
          left join pg_type t on t.oid = a.atttypid
         cross join lateral (
               select array_agg(distinct p.groupid) as servers
                 from pg_catalog.pg_dist_shard s join pg_catalog.pg_dist_placement p using (shardid)
                where s.logicalrelid = d.logicalrelid) p
    loop
        if spread.key is null then
            if spread.servers && open then return next spread.relation::text; end if;
            open := array(select unnest(open) except select unnest(spread.servers));
            continue;
        end if;
        for number in 1 .. 100000 loop
            exit when not spread.servers && open;
            value := case when spread.type = 'uuid'::regtype then md5(number::text)
                          when spread.category in ('N', 'S') then number::text
                          when spread.category = 'D' then (date '2000-01-01' + number)::text end;
            exit when value is null;
            server := (select p.groupid from pg_catalog.pg_dist_placement p
                        where p.shardid = get_shard_id_for_distribution_column(spread.relation, value) limit 1);
            continue when server <> all (open);
            open := array_remove(open, server);
            return next format('%s where %I = %L::%s', spread.relation, spread.key, value, spread.type);
        end loop;
    end loop;
    if open <> '{}' then
        raise exception 'what % of the servers of this database change cannot be counted', cardinality(open)
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'unreached', 'servers', cardinality(open))::text;
    end if;
end
$$;
