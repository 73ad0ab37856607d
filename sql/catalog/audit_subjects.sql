-- Acts on many whose subjects, which are settled when they begin, do not add up. What was begun before they were counted is left out.
select 'bulk' as problem, w.id as operation, format('it is about %s, and %s of them are on record', w.payload ->> 'listed', l.number) as detail
  from usher.operation w
 cross join lateral (
       select count(*) as number, count(*) filter (where s.ordinal between 1 and (w.payload ->> 'listed')::bigint) as within
         from usher.subject s where s.operation = w.id) l
 where w.kind = 'bulk' and jsonb_typeof(w.payload -> 'listed') = 'number'
   and (w.payload ->> 'listed')::bigint <> any (array[l.number, l.within])
 union all
-- Its list is sealed with it.
select 'bulk', w.id, 'it is not about those with whom it was begun'
  from usher.operation w
 where w.kind = 'bulk' and w.payload ? 'list'
   and w.payload -> 'list' -> 'digests' is distinct from (
       select coalesce(jsonb_object_agg(b.number, encode(b.digest, 'hex')), '{}')
         from (select (s.ordinal - 1) / (w.payload -> 'list' ->> 'size')::integer as number,
                      sha256(string_agg(s.digest, '' order by s.ordinal)) as digest
                 from usher.subject s
                where s.operation = w.id
                group by 1) b)
 union all
select 'bulk', s.operation, format('%s of those whom it is about are gone, and no erasure says so', count(*))
  from usher.subject s
 where s.key is null
   and not exists (select from usher.operation o where o.id = s.erased and o.kind = 'erasure' and o.outcome = 'committed')
 group by s.operation
 union all
select 'bulk', s.operation, format('%s whom something is about that is no act on many', count(*))
  from usher.subject s
 where not exists (select from usher.operation o where o.id = s.operation and o.kind = 'bulk')
 group by s.operation
 union all
select 'bulk', t.parent, format('%s of its users are not among those whom it is about', count(*))
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
