-- Counting what a transaction wrote, and refusing what cannot be counted.

-- The table under which rows of a table are counted: its partition root, if that has a key.
create or replace function usher.counted_as(relation oid) returns oid
language sql stable
as $$
    select case when usher.key_numbers(pg_partition_root(counted_as.relation)) is not null then pg_partition_root(counted_as.relation)::oid
                else counted_as.relation end
$$;

-- What this session has written: rows inserted, updated and deleted, by table, partitions as their root. Only differences mean
-- anything, since earlier transactions may still be counted. `elsewhere` are foreign tables that this transaction holds as a writer
-- does; the server doesn't count their rows. `servers` are those of Citus.
create or replace function usher.counters() returns jsonb
language plpgsql volatile
as $$
declare
    counts jsonb;
    elsewhere jsonb;
begin
    if not current_setting('track_counts')::boolean then
        raise exception 'the server does not count changed rows, so usher could not verify a change'
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

-- The name of a relation, with a star if a statement writes its heirs too.
create or replace function usher.relation_name(target jsonb) returns text
language sql immutable
as $$ select (target ->> 'schema') || '.' || (target ->> 'name') || case when (target ->> 'heirs')::boolean then ' *' else '' end $$;

-- Whether an error has nothing to do with its statement: a conflict with another transaction, a time-out, a shortage, a lost
-- connection, or a refusal of this schema.
create or replace function usher.is_passing(state text) returns boolean
language sql immutable
as $$ select left(state, 2) in ('08', '25', '40', '53', '55', '57', 'US', 'UA') $$;

-- The constraints that are deferred until the commit, as SQL. Only those of tables of this schema's owner or a superuser: their
-- triggers run as the owner if they are fired here.
create or replace function usher.deferred() returns text
language sql stable
as $$
    select string_agg(distinct c.connamespace::regnamespace || '.' || quote_ident(c.conname), ', ')
      from pg_constraint c
     where c.condeferred and c.connamespace <> 'usher'::regnamespace and has_schema_privilege(c.connamespace, 'usage')
       and exists (select from pg_class t join pg_roles o on o.oid = t.relowner
                    where t.oid = c.conrelid and t.relpersistence <> 't' and (o.rolsuper or o.rolname = current_user))
$$;

-- Whether this transaction wrote a version of a catalog entry. A version that is visible although its writer is still in progress
-- can only be our own.
create or replace function usher.is_own(version xid) returns boolean
language sql volatile
as $$
    select age(is_own.version) <= age(own.x)
           and pg_xact_status((own.n + age(own.x) - age(is_own.version))::text::xid8) = 'in progress'
      from (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
$$;

-- The partitions that this transaction made and may make, as a trigger of an app does for the rows that it is about to write. Such
-- a partition has the owner of the table that it belongs to, and nothing that it did not get from there. A right, default,
-- condition, trigger or expression of its own would outlast the action and run as the owner.
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

-- What the steps of an action write on this server, by relation name: the `tables` under which the rows are counted, and its table if
-- Citus keeps the rows. Refuses to write what this server can't account for, or tables of which row security would hide rows.
create or replace function usher.writable_relations(act jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := jsonb_path_query_array(act, '$.steps[*].targets[*]');
    target record;
    own record;
    tables jsonb;
    relations jsonb := '{}';
begin
    perform usher.refuse_hidden(targets);
    for target in
        select distinct usher.relation_name(t.value) as name, to_regclass(format('%I.%I', t.value ->> 'schema', t.value ->> 'name'))::oid as oid,
               (t.value ->> 'heirs')::boolean as heirs
          from jsonb_array_elements(targets) t order by 1
    loop
        continue when target.oid is null;
        tables := '[]';
        for own in
            with recursive below (oid) as (
                select target.oid
                 union
                select i.inhrelid from below b join pg_inherits i on i.inhparent = b.oid
                 where target.heirs or (select c.relkind = 'p' from pg_class c where c.oid = b.oid)
            )
            select c.oid, c.oid::regclass::text as name, c.relkind as kind, c.relnamespace = 'usher'::regnamespace as is_ledger,
                   c.relhasrules and exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead) as is_replaced
              from pg_class c where c.oid in (select b.oid from below b) order by c.oid <> target.oid, c.oid
        loop
            perform usher.refuse_obstacle(own.name, case when own.is_replaced then 'v' else own.kind end, own.is_ledger);
            tables := tables || to_jsonb(usher.counted_as(own.oid)::text);
        end loop;
        relations := relations || jsonb_build_object(target.name, jsonb_build_object(
            'tables', (select jsonb_agg(distinct t.value) from jsonb_array_elements(tables) t),
            'distributed', case when usher.is_distributed(target.oid) then usher.counted_as(target.oid)::text end));
    end loop;
    return relations;
end
$$;

-- Refuses to write what the server can't account for: a relation of some kind, or one of this schema.
create or replace function usher.refuse_obstacle(name text, kind text, is_ledger boolean) returns void
language plpgsql immutable
as $$
begin
    if is_ledger then
        raise exception '% is part of the audit log, which apps can''t change; nothing was changed', name
              using errcode = 'US003', detail = 'ledger_table';
    elsif kind = 'f' then
        raise exception '% is a foreign table: this server does not count its rows and can''t record them; nothing was changed', name
              using errcode = 'US003', detail = 'foreign_table',
                    hint = 'change the table on the server that stores its rows';
    elsif kind not in ('r', 'p') then
        raise exception '% is a view or has a rule, so usher can''t verify what a statement writes to it; nothing was changed', name
              using errcode = 'US003', detail = 'view',
                    hint = 'write the table that stores the rows';
    end if;
end
$$;

-- Refuses if statements report more rows than the server counted in their tables. It may count more, since triggers write too, and
-- an update may be a deletion and an insertion. Rows of foreign tables are not counted at all.
create or replace function usher.refuse_uncounted(relations jsonb, pass jsonb) returns void
language plpgsql stable
as $$
declare
    relation record;
    rows bigint;
    counted bigint;
begin
    for relation in
        select t.key as name, r.reach -> 'tables' as tables
          from jsonb_each(refuse_uncounted.pass -> 'told') t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where r.reach is not null
         order by 1
    loop
        select coalesce(sum((t.value #>> '{}')::bigint), 0) into rows
          from jsonb_each(refuse_uncounted.pass -> 'told') t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where r.reach -> 'tables' <@ relation.tables;
        select coalesce(sum((n.value #>> '{}')::bigint), 0) into counted
          from jsonb_array_elements_text(relation.tables) t (oid),
               jsonb_array_elements(refuse_uncounted.pass -> 'counts' -> t.oid) n;
        if counted < rows then
            raise exception 'the server''s row counters are wrong for % (rows written: %, counted: %); nothing was changed',
                  trim(trailing ' *' from relation.name), rows, counted
                  using errcode = 'US003', detail = 'uncounted',
                        hint = 'usher can''t show or undo changes that are not counted; change the table on the server that stores its rows';
        end if;
    end loop;
    if refuse_uncounted.pass ->> 'elsewhere' is not null then
        perform usher.refuse_obstacle(refuse_uncounted.pass -> 'elsewhere' ->> 0, 'f', false);
    end if;
end
$$;

-- Refuses if row security would silently hide rows from the statements. It never hides a row from an INSERT silently: that fails.
create or replace function usher.refuse_hidden(targets jsonb) returns void
language plpgsql stable
as $$
declare
    names text;
begin
    -- Most tables have no policies.
    if not exists (select from jsonb_to_recordset(refuse_hidden.targets) as w (schema text, name text)
                    where row_security_active(to_regclass(quote_ident(w.schema) || '.' || quote_ident(w.name)))) then
        return;
    end if;
    select string_agg(distinct n.nspname || '.' || c.relname, ', ') into names
      from jsonb_to_recordset(refuse_hidden.targets) as w (schema text, name text, verb text)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
     where w.verb is distinct from 'insert' and row_security_active(c.oid)
       and (not exists (select from pg_policy p
                         where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('w', '*')
                           and pg_get_expr(p.polqual, p.polrelid) = 'true'
                           and (0 = any (p.polroles)
                                or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage'))))
            or exists (select from pg_policy p
                        where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('w', 'd', '*')
                          and (0 = any (p.polroles)
                               or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))));
    if names is not null then
        raise exception 'row security hides rows of % from %, so usher can''t change them all', names, current_user
              using errcode = 'US005', detail = 'hidden',
                    hint = 'give the owner of the schema usher BYPASSRLS, or the policies that `usher roles sql` prints';
    end if;
end
$$;
