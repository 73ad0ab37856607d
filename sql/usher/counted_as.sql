-- The tables as whose rows those of some tables count: a partition's are its root's, where something tells the rows of that apart.
create or replace function usher.counted_as(relations oid[]) returns table (relation oid, counted oid)
language plpgsql stable rows 10
as $$
begin
    return query
    with reached as materialized (
        select r.relation, case when c.relispartition then pg_partition_root(r.relation)::oid end as root
          from unnest($1) r (relation) left join pg_class c on c.oid = r.relation
    ),
    keyed as materialized (
        select i.indrelid as root
          from pg_index i
         where i.indrelid = any (array(select r.root from reached r where r.root is not null))
           and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
           and not exists (select from pg_attribute a
                            where a.attrelid = i.indrelid and a.attnum = any (i.indkey::int2[]) and not a.attnotnull)
    )
    select r.relation, case when r.root in (select k.root from keyed k) then r.root else r.relation end from reached r;
end
$$;
