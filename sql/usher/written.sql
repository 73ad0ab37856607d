-- What it comes to on this server to write some relations ([{schema, name, heirs}]), by their name, with a star where the
-- rows of heirs are written too: the tables as which the rows are counted, whether something else takes the place of the
-- statement (then its tag counts what never was written), which table it is where Citus keeps its rows, and what of it this
-- server cannot account for.
create or replace function usher.written(targets jsonb) returns jsonb
language plpgsql stable
as $$
begin
    return (
    with recursive
    wanted as (
        select distinct w.schema, w.name, w.heirs, c.oid
          from jsonb_to_recordset(written.targets) as w (schema text, name text, heirs boolean)
          join pg_namespace n on n.nspname = w.schema
          join pg_class c on c.relnamespace = n.oid and c.relname = w.name
    ),
    -- Only what a view reads alone is certainly what is written through it.
    reached (origin, heirs, below, oid, is_certain) as (
        select w.oid, w.heirs, w.heirs, w.oid, true from wanted w
         union
        select r.origin, r.heirs, next.below, next.oid, r.is_certain and next.is_only and not diverted.is_so
          from reached r
          join pg_class c on c.oid = r.oid
         cross join lateral (
               select exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)
                      or exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead and w.ev_type <> '1')
               ) as diverted (is_so)
         cross join lateral (
               select i.inhrelid, true, r.below
                 from pg_inherits i
                where i.inhparent = c.oid and (r.below or c.relkind = 'p')
                union all
               -- Whether a view reads the heirs too stands in its rule alone.
               select s.oid, count(*) over () = 1,
                      r.below and (s.rule ~ format(':relid %s [^{}]*:inh true', s.oid)
                                   or s.rule !~ format(':relid %s [^{}]*:inh false', s.oid))
                 from (select distinct d.refobjid as oid, w.ev_action::text as rule
                         from pg_rewrite w
                         join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
                                         and d.refclassid = 'pg_class'::regclass and d.refobjid <> w.ev_class
                        where c.relkind = 'v' and w.ev_class = c.oid and w.ev_type = '1') s
               ) as next (oid, is_only, below)
    ),
    judged as (
        select r.origin, r.heirs, r.oid, c.relkind, n.nspname, c.relname,
               exists (select from pg_trigger g where g.tgrelid = c.oid and g.tgtype & 64 <> 0)
               or exists (select from pg_rewrite w where w.ev_class = c.oid and w.is_instead and w.ev_type <> '1') as is_diverted,
               case when not r.is_certain then null
                    when n.nspname = 'usher' then 'ledger'
                    when c.relkind = 'f' then 'foreign' end as obstacle
          from reached r
          join pg_class c on c.oid = r.oid
          join pg_namespace n on n.oid = c.relnamespace
    )
    select coalesce(jsonb_object_agg(r.name, r.reach), '{}')
      from (select w.schema || '.' || w.name || case when w.heirs then ' *' else '' end as name,
                   jsonb_build_object(
                       'is_view', bool_or(j.oid = w.oid and j.relkind = 'v'),
                       'is_diverted', bool_or(j.is_diverted),
                       'distributed', case when usher.is_distributed(w.oid) then min(p.counted::text) filter (where j.oid = w.oid) end,
                       'tables', jsonb_agg(distinct p.counted::text),
                       'obstacle', (array_agg(j.obstacle order by j.oid <> w.oid, j.oid)
                                      filter (where j.obstacle is not null and not j.is_diverted))[1],
                       'place', (array_agg(format('%s.%s', j.nspname, j.relname) order by j.oid <> w.oid, j.oid)
                                   filter (where j.obstacle is not null and not j.is_diverted))[1]) as reach
              from wanted w
              join judged j on j.origin = w.oid and j.heirs = w.heirs
              join usher.counted_as(array(select distinct r.oid from reached r)) p on p.relation = j.oid
             group by w.oid, w.schema, w.name, w.heirs) r);
end
$$;
