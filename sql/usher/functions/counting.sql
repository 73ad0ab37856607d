-- The functions that count the rows that a transaction wrote, and refuse tables whose rows usher can't count.

-- The table for which usher counts the rows of a relation. For a partition of a table with a key, this is the partitioned table; otherwise
-- it is the relation itself.
create or replace function usher.counted_as(relation oid) returns oid
language sql stable
as $$
    select case when usher.key_numbers(pg_partition_root(counted_as.relation)) is not null then pg_partition_root(counted_as.relation)::oid
                else counted_as.relation end
$$;

-- The numbers of rows that this session has inserted, updated and deleted, by table (see `counted_as` for partitions). Only differences are
-- meaningful, because the counters may include earlier transactions. `elsewhere` has the foreign tables that this transaction has locked
-- for writing, because the server doesn't count their rows. `servers` has the counters of Citus servers.
create or replace function usher.counters() returns jsonb
language plpgsql volatile
as $$
declare
    counts jsonb;
    elsewhere jsonb;
begin
    if not current_setting('track_counts')::boolean then
        raise exception 'the server does not count changed rows (track_counts is off), so usher could not verify a change'
              using errcode = 'US003', detail = 'no_counters',
                    hint = 'ask a superuser to set track_counts to on';
    end if;
    counts := (
        select coalesce(jsonb_object_agg(n.relation, jsonb_build_array(n.inserted, n.updated, n.deleted)), '{}')
          from (select usher.counted_as(c.oid) as relation, sum(w.inserted) as inserted, sum(w.updated) as updated, sum(w.deleted) as deleted
                  from pg_class c
                 cross join lateral (
                       select pg_stat_get_xact_tuples_inserted(c.oid) as inserted, pg_stat_get_xact_tuples_updated(c.oid) as updated,
                              pg_stat_get_xact_tuples_deleted(c.oid) as deleted) w
                 where c.relkind in ('r', 'p', 'm') and c.relnamespace not in ('pg_catalog'::regnamespace, 'usher'::regnamespace)
                   and w.inserted + w.updated + w.deleted > 0
                 group by 1) n);
    if exists (select from pg_foreign_table) then
        elsewhere := (
            select jsonb_agg(n.nspname || '.' || c.relname order by 1)
              from pg_locks l
              join pg_class c on c.oid = l.relation and c.relkind = 'f'
              join pg_namespace n on n.oid = c.relnamespace
             where l.locktype = 'relation' and l.pid = pg_backend_pid() and l.granted
               and l.database = (select d.oid from pg_database d where d.datname = current_database())
               and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'));
    end if;
    return jsonb_build_object('counts', counts, 'elsewhere', elsewhere) || usher.counted_by_all(counts);
end
$$;

-- What the counters show since an earlier reading (`before`): the numbers of inserted, updated and deleted rows of the tables with new
-- counts, and `elsewhere`.
create or replace function usher.counted_since(before jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    after constant jsonb := usher.counters();
begin
    if before -> 'servers' is distinct from after -> 'servers' then
        perform usher.refuse_strange(before -> 'servers', after -> 'servers');
    end if;
    return after || jsonb_build_object('counts', (
        select coalesce(jsonb_object_agg(n.key, d.counts), '{}')
          from jsonb_each(after -> 'counts') n
         cross join lateral (
               select jsonb_agg(c.value::bigint - coalesce((before -> 'counts' -> n.key ->> (c.place - 1)::integer)::bigint, 0) order by c.place) as counts
                 from jsonb_array_elements_text(n.value) with ordinality as c (value, place)) d
         where d.counts <> '[0, 0, 0]'));
end
$$;

-- The name of a relation; a star after it means that the statement also writes the tables that inherit from it.
create or replace function usher.relation_name(target jsonb) returns text
language sql immutable
as $$ select (target ->> 'schema') || '.' || (target ->> 'name') || case when (target ->> 'heirs')::boolean then ' *' else '' end $$;

-- Returns true if an error with this SQLSTATE has another cause than the statement: a conflict with another transaction, a time-out,
-- missing resources, a lost connection, or a refusal by a function of this schema.
create or replace function usher.has_other_cause(state text) returns boolean
language sql immutable
as $$ select left(state, 2) in ('08', '25', '40', '53', '55', '57', 'US', 'UA') $$;

-- The names of the deferrable constraints as a list in SQL: with `are_deferred`, those that are deferred until the commit, else the others.
-- The list of deferred constraints has only tables of superusers and of this schema's owner. Triggers of other tables could run code of
-- other roles as this owner.
create or replace function usher.deferrable(are_deferred boolean) returns text
language plpgsql stable
as $$
begin
    return (
        select string_agg(distinct c.connamespace::regnamespace || '.' || quote_ident(c.conname), ', ')
          from pg_constraint c
          join pg_class t on t.oid = c.conrelid and t.relpersistence <> 't'
          join pg_roles o on o.oid = t.relowner
         where c.condeferrable and c.condeferred = are_deferred and c.connamespace <> 'usher'::regnamespace
           and has_schema_privilege(c.connamespace, 'usage') and (not are_deferred or o.rolsuper or o.rolname = current_user));
end
$$;

-- Returns true if this transaction wrote a version (xmin) of a catalog row. A visible version whose transaction is still in progress can
-- only come from this transaction.
create or replace function usher.is_own(version xid) returns boolean
language sql volatile
as $$
    select age(is_own.version) <= age(own.x)
           and pg_xact_status((own.n + age(own.x) - age(is_own.version))::text::xid8) = 'in progress'
      from (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
$$;

-- The allowed partitions that this transaction created; a trigger of the app can create a partition for inserted rows. An allowed partition
-- takes its owner and everything else from the parent table. Own rights, defaults, constraints, triggers or expressions of a partition
-- would stay after the action, and could run code as the owner.
create or replace function usher.own_partitions() returns oid[]
language sql volatile
as $$
    select array(
        select c.oid
          from pg_class c
          join pg_inherits i on i.inhrelid = c.oid
          join pg_class p on p.oid = i.inhparent and p.relowner = c.relowner
         where c.relispartition and c.relkind = 'r' and c.relpersistence <> 't' and c.relnamespace <> 'usher'::regnamespace
           and usher.is_own(c.xmin)
           and not exists (select a.grantee, a.privilege_type, a.is_grantable from aclexplode(c.relacl) a where a.grantee <> c.relowner
                           except
                           select a.grantee, a.privilege_type, a.is_grantable
                             from (select p.relacl
                                    union all
                                   select d.defaclacl from pg_default_acl d
                                    where d.defaclrole = c.relowner and d.defaclobjtype = 'r'
                                      and d.defaclnamespace in (0, c.relnamespace)) g (acl), aclexplode(g.acl) a)
           and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attacl is not null)
           and not exists (select a.attname, pg_get_expr(d.adbin, d.adrelid)
                             from pg_attrdef d join pg_attribute a on a.attrelid = c.oid and a.attnum = d.adnum
                            where d.adrelid = c.oid
                           except
                           select a.attname, pg_get_expr(d.adbin, d.adrelid)
                             from pg_attrdef d join pg_attribute a on a.attrelid = p.oid and a.attnum = d.adnum
                            where d.adrelid = p.oid)
           and not exists (select from pg_constraint k where k.conrelid = c.oid and k.coninhcount = 0 and k.conparentid = 0)
           and not exists (select from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal and t.tgparentid = 0)
           and not exists (select from pg_index x
                            where x.indrelid = c.oid and num_nonnulls(x.indexprs, x.indpred) > 0
                              and not exists (select from pg_inherits h where h.inhrelid = x.indexrelid)))
$$;

-- The tables that some steps of an action write, by relation name. `tables` has the tables whose counts include the written rows.
-- `distributed` has the table if Citus stores its rows on other servers. Refuses tables whose rows this server can't count, or whose rows
-- row security would hide.
create or replace function usher.writable_relations(steps jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := jsonb_path_query_array(steps, '$[*].targets[*]');
    own record;
    tables jsonb;
    relations jsonb := '{}';
begin
    perform usher.refuse_hidden(targets);
    for own in
        with recursive below (target, root, has_heirs, oid) as (
            select usher.relation_name(t.value), r.oid, (t.value ->> 'heirs')::boolean, r.oid
              from jsonb_array_elements(targets) t
             cross join lateral (select to_regclass(format('%I.%I', t.value ->> 'schema', t.value ->> 'name'))::oid as oid) r
             union
            select b.target, b.root, b.has_heirs, i.inhrelid
              from below b join pg_inherits i on i.inhparent = b.oid
             where b.has_heirs or (select c.relkind = 'p' from pg_class c where c.oid = b.oid)
        )
        select b.target, b.root, c.oid, c.oid::regclass::text as name, c.relnamespace = 'usher'::regnamespace as is_ledger,
               case when c.relhasrules and exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead) then 'v' else c.relkind end as kind
          from below b join pg_class c on c.oid = b.oid
         order by b.target, c.oid <> b.root, c.oid
    loop
        perform usher.refuse_obstacle(own.name, own.kind, own.is_ledger);
        tables := coalesce(relations -> own.target -> 'tables', '[]');
        if not tables ? usher.counted_as(own.oid)::text then tables := tables || to_jsonb(usher.counted_as(own.oid)::text); end if;
        relations := relations || jsonb_build_object(own.target, jsonb_build_object(
            'tables', tables, 'distributed', case when usher.is_distributed(own.root) then usher.counted_as(own.root)::text end));
    end loop;
    return relations;
end
$$;

-- Refuses a table of the audit log, and a relation whose written rows usher can't count.
create or replace function usher.refuse_obstacle(name text, kind text, is_ledger boolean) returns void
language plpgsql immutable
as $$
begin
    if is_ledger then
        raise exception 'the table % belongs to the audit log, and actions can''t change the audit log; nothing was changed', name
              using errcode = 'US003', detail = 'ledger_table';
    elsif kind = 'f' then
        raise exception 'the action writes the foreign table %, but this server does not count its rows, so usher can''t record them; nothing was changed', name
              using errcode = 'US003', detail = 'foreign_table',
                    hint = 'change the table on the server that stores its rows';
    elsif kind not in ('r', 'p') then
        raise exception 'the action writes %, which is a view or has a rule, so usher can''t verify the written rows; nothing was changed', name
              using errcode = 'US003', detail = 'view',
                    hint = 'change the app file, so that the action writes the table that stores the rows';
    end if;
end
$$;

-- Refuses an action whose statements report more rows than the server counted in their tables. The server may count more rows, because
-- triggers also write rows, and an update may count as a deletion and an insertion. It doesn't count rows of foreign tables.
create or replace function usher.refuse_uncounted(relations jsonb, pass jsonb) returns void
language plpgsql stable
as $$
declare
    relation record;
begin
    with told as (
        select t.key as name, (t.value #>> '{}')::bigint as rows, refuse_uncounted.relations -> t.key -> 'tables' as tables
          from jsonb_each(refuse_uncounted.pass -> 'told') t
         where refuse_uncounted.relations ? t.key)
    select trim(trailing ' *' from t.name) as name, w.rows, c.rows as counted into relation
      from told t
     cross join lateral (select sum(o.rows) as rows from told o where o.tables <@ t.tables) w
     cross join lateral (select coalesce(sum((n.value #>> '{}')::bigint), 0) as rows
                           from jsonb_array_elements_text(t.tables) b (oid), jsonb_array_elements(refuse_uncounted.pass -> 'counts' -> b.oid) n) c
     where c.rows < w.rows
     order by t.name limit 1;
    if found then
        raise exception 'the server''s row counters are wrong for % (rows written: %, counted: %); nothing was changed',
              relation.name, relation.rows, relation.counted
              using errcode = 'US003', detail = 'uncounted',
                    hint = 'usher can''t show or undo rows that the server doesn''t count; change the table on the server that stores its rows';
    end if;
    if refuse_uncounted.pass ->> 'elsewhere' is not null then
        perform usher.refuse_obstacle(refuse_uncounted.pass -> 'elsewhere' ->> 0, 'f', false);
    end if;
end
$$;

-- Refuses an action if row security would silently hide rows from its statements. INSERT needs no check, because row security makes it
-- fail.
create or replace function usher.refuse_hidden(targets jsonb) returns void
language plpgsql stable
as $$
declare
    names text;
begin
    select string_agg(distinct n.nspname || '.' || c.relname, ', ') into names
      from jsonb_to_recordset(refuse_hidden.targets) as w (schema text, name text, verb text)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
     cross join lateral (
           select bool_or(p.polpermissive and p.polcmd in ('w', '*') and pg_get_expr(p.polqual, p.polrelid) = 'true') as is_open,
                  bool_or(not p.polpermissive and p.polcmd in ('w', 'd', '*')) as is_restricted
             from pg_policy p
            where p.polrelid = c.oid and (0 = any (p.polroles) or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))) own
     where w.verb is distinct from 'insert' and row_security_active(c.oid) and (own.is_open is not true or own.is_restricted);
    if names is not null then
        raise exception 'row security may hide rows of % from %, so the action might not change all rows', names, current_user
              using errcode = 'US005', detail = 'hidden',
                    hint = 'give BYPASSRLS to the owner of the schema usher, or create the policies that `usher roles sql` prints';
    end if;
end
$$;
