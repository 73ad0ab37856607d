-- Bulk changes whose list of users contradicts other records; the list is fixed at the start. The query skips deletions, which have no
-- list, and attempts, because usher didn't check their contents.
with whole as materialized (
    select o.id, o.payload,
           case when o.payload ->> 'listed' ~ '^[0-9]{1,9}$' then (o.payload ->> 'listed')::integer end as listed,
           case when o.payload -> 'list' ->> 'size' ~ '^[1-9][0-9]{0,8}$' then (o.payload -> 'list' ->> 'size')::integer end as size
      from usher.operation o
     where o.kind = 'bulk' and o.outcome = 'committed' and o.payload ?| '{listed,list}'
)
select 'bulk' as problem, w.id as operation,
       case when w.listed is null then 'the recorded number of its users is not a number'
            else format('the bulk change should list %s users, numbered from 1, but lists %s', w.listed, l.number) end as detail
  from whole w
 cross join lateral (
       select count(*) as number, count(*) filter (where s.ordinal between 1 and w.listed) as within
         from usher.subject s where s.operation = w.id) l
 where w.payload ? 'listed' and (w.listed is null or w.listed <> any (array[l.number, l.within]))
 union all
-- Before a bulk change ends, its batches must have processed every user, including users who were deleted since.
select 'bulk', w.id, format('the bulk change has ended, but no batch processed %s of its users', r.number)
  from whole w
 cross join lateral (
       select count(*) as number
         from usher.subject s
        where s.operation = w.id and s.key is not null
          and s.ordinal > coalesce((select max(b.last) from usher.operation b where b.parent = w.id and b.kind = 'batch'), 0)) r
 where w.payload ? 'listed' and r.number > 0
   and exists (select from usher.operation e where e.parent = w.id and e.kind = 'end')
 union all
-- The list must match the digest that is sealed with the bulk change.
select 'bulk', w.id, 'the list of users differs from the list at the start'
  from whole w
 where w.payload ? 'list'
   and w.payload -> 'list' -> 'digests' is distinct from (
       select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}')
         from (select (s.ordinal - 1) / w.size as number,
                      sha256(string_agg(s.digest, '' order by s.ordinal)) as digest
                 from usher.subject s
                where s.operation = w.id and w.size is not null
                group by 1) b)
 union all
select 'bulk', s.operation, format('%s of its users are missing from the list, but no deletion of them is recorded', count(*))
  from usher.subject s
 where s.key is null
   and not exists (select from usher.operation o where o.id = s.erased and o.kind = 'erasure' and o.outcome = 'committed')
 group by s.operation
 union all
select 'bulk', s.operation, format('%s users are listed for this operation, but it is not a bulk change', count(*))
  from usher.subject s
 where not exists (select from usher.operation o where o.id = s.operation and o.kind = 'bulk')
 group by s.operation
 union all
select 'bulk', t.parent, format('the batches contain %s users who are not on the list of users', count(*))
  from (select b.parent, s.key
          from usher.operation w
          join usher.act a on a.app = w.app and a.digest = w.app_digest and a.kind = w.payload ->> 'kind'
                          and a.name = w.payload ->> 'name' and a.definition ->> 'subject' = 'users'
          join usher.operation b on b.parent = w.id and b.kind = 'batch' and b.outcome = 'committed'
         cross join unnest(b.subjects) as s (key)
         where w.kind = 'bulk' and w.undoes is null and w.payload ? 'listed' and b.payload is not null
           and not coalesce(b.payload -> 'others', '[]') ? s.key
        except
        select s.operation, s.key from usher.subject s) t
 group by t.parent
