-- Functions for a database with the extension Citus, which distributes the rows of tables over several servers. Some of these functions
-- replace the ones in citus_absent.sql.

-- Returns true if Citus stores the rows of a table on other servers.
create or replace function usher.is_distributed(relation oid) returns boolean
language sql stable
as $$ select exists (select from pg_catalog.pg_dist_partition p where p.logicalrelid = is_distributed.relation) $$;

-- Returns a FROM clause for each other server that stores rows of this database. A query with this clause runs on that server, in the
-- session in which this transaction writes there. The clause contains a value of the distribution column that Citus assigns to that server.
-- No row needs to have this value.
create or replace function usher.server_clauses() returns setof text
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
        raise exception 'usher can''t read the number of changed rows from % of the servers on which Citus stores rows', cardinality(open)
              using errcode = 'US003', detail = 'unreached',
                    hint = 'distribute one table by a number, a text, a date or a uuid, so that every server has rows of this table';
    end if;
end
$$;

-- Counts the rows that this transaction wrote on all servers; `counts` has the row counts of this session. The rows of a shard count for
-- its table. Citus writes a reference table on every server, so its rows count only once. `servers` identifies the sessions on the other
-- servers, because usher can compare only counters of the same session. It also lists their writes outside of shards.
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
    for way in select w.way from usher.server_clauses() w (way) loop
        number := number + 1;
        execute format('select array_agg(a.word) from (select count(*), (ts_stat(%L)).word from %s) a', question, way) into own;
        words := words || own;
        places := places || array_fill(number, array[cardinality(own)]);
    end loop;
    if exists (select from unnest(words) w (word) where w.word ~ '^session .* off$') then
        raise exception 'the server does not count changed rows, so usher could not verify a change'
              using errcode = 'US003', detail = 'no_counters',
                    hint = 'ask a superuser to set track_counts to on';
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
                                from (select usher.counted_as(t.relation) as counted, sum(t.inserted) as inserted, sum(t.updated) as updated, sum(t.deleted) as deleted
                                        from (select t.relation, max(t.inserted) as inserted, max(t.updated) as updated, max(t.deleted) as deleted
                                                from (select t.relation, t.place, t.is_everywhere, sum(t.parts[1]::bigint) as inserted,
                                                             sum(t.parts[2]::bigint) as updated, sum(t.parts[3]::bigint) as deleted
                                                        from told t where t.relation is not null group by 1, 2, 3) t
                                               group by t.relation, case when not t.is_everywhere then t.place end) t
                                       group by 1) r),
                   'servers', (select jsonb_agg(t.word order by t.place, t.word) from told t where t.relation is null)));
end
$$;

-- Extends the SQL of a step so that the SQL returns the keys of the rows written on other servers. It returns no row addresses (ctid),
-- because an address is valid only on its own server. With Citus, a statement that writes rows can call few functions. So the SQL converts
-- keys to text outside of this statement. If possible, a query before the statement computes the new values.
create or replace function usher.returning_sql(step jsonb, relation oid) returns text
language plpgsql stable
as $$
declare
    shape constant usher.shape := usher.shape(returning_sql.relation, '{}');
    alias constant text := step ->> 'alias';
    made text := step -> 'values' ->> 'sql';
    statement text := step ->> 'sql';
    keys record;
    assigned record;
begin
    select string_agg(format('%s.%s', alias, c.sql), ', ' order by c.place) as returned,
           string_agg(format('%s.%s as "usher key %s"', alias, c.sql, c.place), ', ' order by c.place) as selected,
           string_agg(format('%s.%s = "usher v"."usher key %s"', alias, c.sql, c.place), ' and ' order by c.place) as same,
           string_agg(format('"usher w".%s::pg_catalog.text', c.sql), ', ' order by c.place) as told
      into keys
      from unnest(shape.columns) c
     where c.in_key;
    if keys.told is null then return null; end if;
    if made is not null then
        for assigned in
            select n.place - 1 as number, c.bare_type as type
              from jsonb_array_elements_text(step -> 'values' -> 'columns') with ordinality as n (name, place)
              join unnest(shape.columns) c on c.name = n.name
        loop
            made := replace(made, format('"usher type %s"', assigned.number), assigned.type);
        end loop;
        statement := (select format(E'update %s set (%s) = row(%s) from "usher v" where %s', step -> 'values' ->> 'table',
                                    string_agg(quote_ident(n.name), ', ' order by n.place),
                                    string_agg(format('"usher v"."usher value %s"', n.place - 1), ', ' order by n.place), keys.same)
                        from jsonb_array_elements_text(step -> 'values' -> 'columns') with ordinality as n (name, place));
    end if;
    return format(E'with %s"usher w" as (\n%s\nreturning %s)\nselect %L::pg_catalog.text as tableoid, pg_catalog.jsonb_build_array(%s)::pg_catalog.text as ctid from "usher w"',
                  case when made is null then '' else format(E'"usher v" as materialized (\n%s),\n', replace(made, '"usher key"', keys.selected)) end,
                  statement, keys.returned, returning_sql.relation, keys.told);
end
$$;

-- Raises the error that another server wrote something other than shards, or that usher read the counters of a different session there.
create or replace function usher.refuse_strange(before jsonb, after jsonb) returns void
language plpgsql stable
as $$
declare
    strange text;
begin
    select coalesce(substring(a.word from '^\d+ \d+ \d+ (.*)$'), a.word) into strange
      from (select jsonb_array_elements_text(after) except select jsonb_array_elements_text(before)) a (word)
     order by 1 limit 1;
    raise exception 'a Citus server reported writes that usher can''t verify (%); nothing was changed', strange using errcode = 'US003', detail = 'unaccounted';
end
$$;

-- Returns true if Citus stores the rows of a table of users on other servers. Then the operator has to check the rows of a deletion or
-- restore, because a role doesn't see rows that another role wrote in the same transaction. But from Postgres 18 on, the check runs as the
-- owner of this schema, because a deferred trigger runs as the role that queued it. So the function then refuses all operators except the
-- owner.
create or replace function usher.is_checked_as_operator(relation oid) returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    operator constant text := case current_setting('role') when 'none' then session_user else current_setting('role') end;
begin
    if current_setting('server_version_num')::integer >= 180000 and operator <> current_user and usher.is_distributed(relation) then
        raise exception 'Citus keeps % on other servers, where only %, the owner of the schema usher, can delete and restore accounts; nothing was done',
              relation::regclass, current_user
              using errcode = 'US005', detail = 'owner_alone',
                    hint = format('connect as %s: since Postgres 18 the owner checks the deletion, and with Citus the owner '
                                  'can''t see rows that another role wrote in the same transaction', current_user);
    end if;
    return usher.is_distributed(relation);
end
$$;

-- Checks the rows of a deletion or restore as the operator. With Citus, a role doesn't see rows that another role wrote in the same
-- transaction.
create or replace function usher.look_as_operator() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if new.by_operator then perform usher.refuse_root(new); end if;
    return null;
end
$$;
