-- What this session and those of the other servers have written for this transaction, where Citus keeps rows there; given what
-- this session has. The part of a table counts as the table; of a table that all servers hold, each has written the same.
-- `servers` are their sessions, whose counters mean nothing beside those of others, and what else they have written.
create or replace function usher.counted_by_all(counts jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    question constant text :=
        $ask$select array_to_tsvector(coalesce(array_agg(format('%s %s %s %I.%I', w.n_tup_ins, w.n_tup_upd, w.n_tup_del, w.schemaname, w.relname)), '{}')
                                      || format('session %s %s', pg_backend_pid(), current_setting('track_counts')))
               from pg_stat_xact_user_tables w where w.n_tup_ins + w.n_tup_upd + w.n_tup_del > 0$ask$;
    way text;
    own text[];
    words text[] := array(select format('%s %s %s %I.%I', c.value ->> 0, c.value ->> 1, c.value ->> 2, n.nspname, r.relname)
                            from jsonb_each(counted_by_all.counts) c
                            join pg_class r on r.oid = c.key::oid
                            join pg_namespace n on n.oid = r.relnamespace);
    places integer[] := array_fill(0, array[cardinality(words)]);
    number integer := 0;
begin
    if not exists (select from pg_catalog.pg_dist_partition) then return '{}'; end if;
    for way in select w.way from usher.ways() w (way) loop
        number := number + 1;
        execute format('select array_agg(a.word) from (select count(*), (ts_stat(%L)).word from %s) a', question, way) into own;
        words := words || own;
        places := places || array_fill(number, array[cardinality(own)]);
    end loop;
    if exists (select from unnest(words) w (word) where w.word ~ '^session .* off$') then
        raise exception 'a server does not count what is changed, so no change could be accounted for'
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'no_counters')::text;
    end if;
    return (
        with told as materialized (
            select w.place, w.word, p.parts, coalesce(s.logicalrelid::oid, case when w.place = 0 then to_regclass(p.parts[4])::oid end) as relation,
                   coalesce(d.partmethod = 'n' and d.repmodel = 't', false) as is_everywhere
              from unnest(words, places) w (word, place)
             cross join lateral regexp_match(w.word, '^(\d+) (\d+) (\d+) (.*)$') as p (parts)
              left join pg_catalog.pg_dist_shard s on s.shardid = substring(p.parts[4] from '_(\d{1,18})$')::bigint
                                                   and shard_name(s.logicalrelid, s.shardid) in (p.parts[4], regexp_replace(p.parts[4], '^public\.', ''))
              left join pg_catalog.pg_dist_partition d on d.logicalrelid = s.logicalrelid
        )
        select jsonb_build_object(
                   'counts', (select coalesce(jsonb_object_agg(r.counted, jsonb_build_array(r.inserted, r.updated, r.deleted)), '{}')
                                from (select k.counted, sum(t.inserted) as inserted, sum(t.updated) as updated, sum(t.deleted) as deleted
                                        from (select t.relation, max(t.inserted) as inserted, max(t.updated) as updated, max(t.deleted) as deleted
                                                from (select t.relation, t.place, t.is_everywhere, sum(t.parts[1]::bigint) as inserted,
                                                             sum(t.parts[2]::bigint) as updated, sum(t.parts[3]::bigint) as deleted
                                                        from told t where t.relation is not null group by 1, 2, 3) t
                                               group by t.relation, case when not t.is_everywhere then t.place end) t
                                        join usher.counted_as(array(select distinct t.relation from told t where t.relation is not null)) k
                                          on k.relation = t.relation
                                       group by 1) r),
                   'servers', (select jsonb_agg(t.word order by t.place, t.word) from told t where t.relation is null)));
end
$$;
