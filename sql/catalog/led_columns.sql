-- Where columns lead by foreign keys, step by step, each to itself first.
with recursive led (relation, attribute, to_relation, to_attribute) as (
    select w.relation, w.attribute, w.relation, w.attribute
      from unnest($1::oid[], $2::smallint[]) as w (relation, attribute)
     union
    select l.relation, l.attribute, c.confrelid, k.refers_to
      from led l
      join pg_constraint c on c.contype = 'f' and c.conrelid = l.to_relation
     cross join lateral unnest(c.conkey, c.confkey) as k (attribute, refers_to)
     where k.attribute = l.to_attribute
)
select l.relation, l.attribute, l.to_relation, l.to_attribute from led l
