-- Refuses an action that wrote more than rows of the app: the audit log, except changes that its own statement recorded
-- (`recorded`), functions, roles, owners or rights. Whatever made it do so runs as the owner of this schema. `guarded` is what was
-- counted before. Triggers may make temporary tables and large objects.
create or replace function usher.refuse_beside(guarded jsonb, recorded bigint default 0) returns void
language plpgsql volatile
as $$
declare
    -- A temporary table or a large object takes rows here.
    usual constant text[] := '{pg_class,pg_attribute,pg_attrdef,pg_type,pg_constraint,pg_namespace,pg_index,pg_inherits,pg_sequence,
                               pg_partitioned_table,pg_depend,pg_shdepend,pg_description,pg_statistic,pg_statistic_ext,
                               pg_statistic_ext_data,pg_largeobject,pg_largeobject_metadata}';
    expected constant jsonb := refuse_beside.guarded || case when recorded = 0 then '{}' else jsonb_build_object(
        'usher.change', coalesce((refuse_beside.guarded ->> 'usher.change')::bigint, 0) + recorded) end;
    counted constant jsonb := usher.guarded();
    names text;
begin
    if counted = expected then return; end if;
    select string_agg(c.key, ', ' order by c.key) into names
      from jsonb_each(counted) c
     where c.value is distinct from expected -> c.key and replace(c.key, 'pg_catalog.', '') <> all (usual);
    if names is null then
        -- A version of an entry that is visible although its writer is still in progress can only be our own.
        select min(w.name) into names
          from (select c.oid::regclass::text, c.xmin, c.relnamespace from pg_class c
                 union all
                select c.oid::regclass::text, a.xmin, c.relnamespace from pg_attribute a join pg_class c on c.oid = a.attrelid
                 union all
                select c.oid::regclass::text, d.xmin, c.relnamespace from pg_attrdef d join pg_class c on c.oid = d.adrelid
                 union all
                select t.oid::regtype::text, t.xmin, t.typnamespace from pg_type t
                 union all
                select c.conname, c.xmin, c.connamespace from pg_constraint c
                 union all
                select n.nspname, n.xmin, n.oid from pg_namespace n) w (name, xmin, place)
          join pg_namespace n on n.oid = w.place and n.nspname !~ '^pg_(toast_)?temp_'
         cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
         where age(w.xmin) <= age(own.x) and pg_xact_status((own.n + age(own.x) - age(w.xmin))::text::xid8) = 'in progress';
    end if;
    if names is not null then
        raise exception 'this also writes %, which no act may write; nothing was changed', names
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'beside', 'names', names)::text;
    end if;
    discard temp;
end
$$;
