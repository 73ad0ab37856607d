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

-- Whether a trigger or a rule replaces what statements write to a relation.
create or replace function usher.is_diverted(relation oid) returns boolean
language sql stable
as $$
    select exists (select from pg_trigger g where g.tgrelid = is_diverted.relation and g.tgtype & 64 <> 0)
           or exists (select from pg_rewrite w where w.ev_class = is_diverted.relation and w.is_instead and w.ev_type <> '1')
$$;

-- The relations that a statement reaches if it writes one: the relation, its heirs, and what a view reads. If a view reads several
-- tables, it isn't certain which one is written through it.
create or replace function usher.reached(origin oid, heirs boolean, is_certain boolean) returns table (relation oid, is_sure boolean)
language plpgsql stable rows 10
as $$
declare
    is_sure_below constant boolean := is_certain and not usher.is_diverted(origin);
    source record;
begin
    return query
    with recursive below (relation, is_sure) as (
        select origin, is_certain
         union
        select i.inhrelid, is_sure_below
          from below b
          join pg_class c on c.oid = b.relation
          join pg_inherits i on i.inhparent = c.oid
         where heirs or c.relkind = 'p'
    )
    select b.relation, b.is_sure from below b;
    if not exists (select from pg_class c where c.oid = origin and c.relkind = 'v') then return; end if;
    -- Only the rule of a view shows whether it reads the heirs too.
    for source in
        select s.oid, count(*) over () = 1 as is_only,
               heirs and (s.rule ~ format(':relid %s [^{}]*:inh true', s.oid) or s.rule !~ format(':relid %s [^{}]*:inh false', s.oid)) as heirs
          from (select distinct d.refobjid as oid, w.ev_action::text as rule
                  from pg_rewrite w
                  join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                                  and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
                 where w.ev_class = origin and w.ev_type = '1') s
    loop
        return query select r.relation, r.is_sure from usher.reached(source.oid, source.heirs, is_sure_below and source.is_only) r;
    end loop;
end
$$;

-- What a statement that writes some relations ([{schema, name, heirs}]) writes on this server, by relation name, with a star if it
-- writes heirs too: the tables under which the rows are counted; whether a trigger or rule replaces the statement, so that its row
-- count means nothing; its table if Citus keeps the rows; and an `obstacle` that the server can't account for.
create or replace function usher.written(targets jsonb) returns jsonb
language sql stable
as $$
    select coalesce(jsonb_object_agg(r.name, r.reach), '{}')
      from (select w.schema || '.' || w.name || case when w.heirs then ' *' else '' end as name,
                   jsonb_build_object(
                       'is_view', bool_or(c.oid = w.oid and c.relkind = 'v'),
                       'is_diverted', bool_or(j.is_diverted),
                       'distributed', case when usher.is_distributed(w.oid) then usher.counted_as(w.oid)::text end,
                       'tables', jsonb_agg(distinct usher.counted_as(c.oid)::text),
                       'obstacle', (array_agg(j.obstacle order by c.oid <> w.oid, c.oid)
                                      filter (where j.obstacle is not null and not j.is_diverted))[1],
                       'place', (array_agg((select n.nspname from pg_namespace n where n.oid = c.relnamespace) || '.' || c.relname order by c.oid <> w.oid, c.oid)
                                   filter (where j.obstacle is not null and not j.is_diverted))[1]) as reach
              from (select distinct t.schema, t.name, t.heirs, to_regclass(quote_ident(t.schema) || '.' || quote_ident(t.name))::oid as oid
                      from jsonb_to_recordset(written.targets) as t (schema text, name text, heirs boolean)) w
             cross join lateral usher.reached(w.oid, w.heirs, true) e
              join pg_class c on c.oid = e.relation
             cross join lateral (
                   select usher.is_diverted(c.oid) as is_diverted,
                          case when not e.is_sure then null
                               when c.relnamespace = 'usher'::regnamespace then 'ledger'
                               when c.relkind = 'f' then 'foreign' end as obstacle offset 0) j
             group by w.oid, w.schema, w.name, w.heirs) r
$$;

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
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ')
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
      join pg_roles o on o.oid = t.relowner
     where c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and (o.rolsuper or o.rolname = current_user) and has_schema_privilege(n.oid, 'usage')
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

-- What the steps of an action write, as `written` describes it. Refuses to write tables whose changes this server can't account for, or of
-- which row security would hide rows.
create or replace function usher.writable_relations(act jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    targets constant jsonb := usher.targets(act);
    relations constant jsonb := usher.written(targets);
begin
    perform usher.refuse_obstacle(r.value ->> 'obstacle', r.value ->> 'place') from jsonb_each(relations) r order by r.key;
    perform usher.refuse_hidden(targets);
    return relations;
end
$$;

-- Refuses to write what the server can't account for.
create or replace function usher.refuse_obstacle(obstacle text, place text) returns void
language plpgsql stable
as $$
begin
    if obstacle = 'foreign' then
        raise exception '% is a foreign table: this server does not count its rows and can''t record them; nothing was changed', place
              using errcode = 'US003', detail = 'foreign_table',
                    hint = 'change the table on the server that stores its rows';
    elsif obstacle = 'ledger' then
        raise exception '% is part of the audit log, which apps can''t change; nothing was changed', place
              using errcode = 'US003', detail = 'ledger_table';
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
         where r.reach is not null and not (r.reach ->> 'is_diverted')::boolean
         order by 1
    loop
        select coalesce(sum((t.value #>> '{}')::bigint), 0) into rows
          from jsonb_each(refuse_uncounted.pass -> 'told') t, lateral (select refuse_uncounted.relations -> t.key as reach) r
         where not (r.reach ->> 'is_diverted')::boolean and r.reach -> 'tables' <@ relation.tables;
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
        perform usher.refuse_obstacle('foreign', refuse_uncounted.pass -> 'elsewhere' ->> 0);
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
