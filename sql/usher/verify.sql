-- Everything that is not as it was written: payloads against their digests, operations against their leaves, leaves
-- against their seals, and each seal against the one before. A head that was kept elsewhere must be in the chain.
create or replace function usher.verify(head text default null)
returns table (problem text, operation uuid, detail text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    with
    chain as (
        select s.number, s.horizon, s.system_identifier, s.root, s.head,
               usher.head(s, lag(s.head) over (order by s.number)) as expected,
               lag(s.number, 1, 0::bigint) over (order by s.number) as previous
          from usher.seal s
    ),
    rows as (
        select o.id as operation, null::integer as ordinal, o.digest, o.salt, o.payload, o.erased from usher.operation o
         union all
        select c.operation, c.ordinal, c.digest, c.salt, c.payload, c.erased from usher.change c
    ),
    present as (
        select o.id, o.transaction, s.seal, s.changes as sealed_changes, s.leaf as sealed_leaf, l.changes, l.leaf
          from usher.operation o
          left join usher.sealed s on s.operation = o.id
          left join lateral usher.leaf(o) l on s.operation is not null
    )
    select 'payload', r.operation, format('the payload of %s is not what was recorded', coalesce('change ' || r.ordinal, 'the operation'))
      from rows r
     where r.payload is not null and r.digest is distinct from sha256(r.salt || convert_to(r.payload::text, 'UTF8'))
     union all
    select 'payload', r.operation, format('the payload of %s is gone, and no erasure says so', coalesce('change ' || r.ordinal, 'the operation'))
      from rows r
     where r.payload is null
       and not exists (select from usher.operation o where o.id = r.erased and o.kind in ('erasure', 'forget'))
     union all
    select 'change', c.operation, format('%s changes belong to no operation', count(*))
      from usher.change c
     where not exists (select from usher.operation o where o.id = c.operation)
     group by c.operation
     union all
    select 'operation', p.id,
           case when p.changes <> p.sealed_changes
                then format('%s changes where %s were sealed', p.changes, p.sealed_changes)
                else 'the operation, one of its changes or what it erased is not what was sealed' end
      from present p
     where p.leaf <> p.sealed_leaf or p.changes <> p.sealed_changes
     union all
    select 'operation', s.operation, format('sealed by seal %s, and gone', s.seal)
      from usher.sealed s
     where not exists (select from usher.operation o where o.id = s.operation)
     union all
    select 'operation', p.id, 'older than the last seal, which does not know it'
      from present p
      join (select c.* from chain c order by c.number desc limit 1) c on true
     where p.seal is null and p.transaction < c.horizon
       and c.system_identifier = (select s.system_identifier from pg_control_system() s)
     union all
    select 'seal', null, format('seal %s is not what it was made of', c.number)
      from chain c
     where c.root is distinct from usher.root(c.number)
     union all
    select 'seal', null, format('seal %s does not follow from the one before it', c.number)
      from chain c
     where c.number <> c.previous + 1 or c.head <> c.expected
     union all
    select 'seal', null, format('seal %s is gone', s.seal)
      from usher.sealed s
     where not exists (select from usher.seal e where e.number = s.seal)
     group by s.seal
     union all
    select 'head', null, 'no seal has the head that was kept'
     where head is not null and not exists (select from usher.seal s where s.head = decode(lower(verify.head), 'hex'))
$$;
