-- Differences from the sealed state. The query compares operations with their recorded digests (leaves), leaves with their seals, and each
-- seal with the seal before it. If --head is given ($1), the chain must contain this head.
with
chain as (
    select s.number, s.horizon, s.system_identifier, s.root, s.head,
           sha256(convert_to(jsonb_build_array(
               s.number, extract(epoch from s.at), s.system_identifier::text, s.horizon::text, encode(s.root, 'hex'),
               encode(lag(s.head) over (order by s.number), 'hex'))::text, 'UTF8')) as expected,
           lag(s.number, 1, 0::bigint) over (order by s.number) as previous
      from usher.seal s
),
changed as (
    select c.operation, count(*) as rows,
           sha256(string_agg(int4send(c.ordinal) || c.digest, '' order by c.ordinal)) as root
      from usher.change c
     group by c.operation
),
erased as (
    select e.erased as operation, count(*) as rows,
           sha256(string_agg(uuid_send(e.operation) || int4send(e.ordinal), '' order by e.operation, e.ordinal)) as root
      from (select c.erased, c.operation, c.ordinal from usher.change c where c.erased is not null
             union all
            select o.erased, o.id, -1 from usher.operation o where o.erased is not null
             union all
            select s.erased, s.operation, -1 - s.ordinal from usher.subject s where s.erased is not null) e
     group by e.erased
),
present as (
    select o.id, o.transaction, s.seal, s.changes as sealed_changes, s.leaf as sealed_leaf,
           coalesce(c.rows, 0) as changes,
           sha256(convert_to(jsonb_build_array(
               o.id, extract(epoch from o.at), o.operator, o.transaction::text, o.kind, o.outcome, o.command, o.app,
               o.parent, o.undoes, encode(o.digest, 'hex'), coalesce(c.rows, 0), encode(c.root, 'hex'),
               coalesce(e.rows, 0), encode(e.root, 'hex'), encode(o.app_digest, 'hex'), o.request, o.root, o.last)::text, 'UTF8')) as leaf
      from usher.operation o
      left join usher.sealed s on s.operation = o.id
      left join changed c on c.operation = o.id
      left join erased e on e.operation = o.id
),
roots as (
    select s.seal, sha256(string_agg(uuid_send(s.operation) || int8send(s.changes) || s.leaf, '' order by s.operation)) as root
      from usher.sealed s
     group by s.seal
)
select 'operation' as problem, p.id as operation,
       case when p.changes <> p.sealed_changes
            then format('the operation has %s recorded changes, but its seal contains %s', p.changes, p.sealed_changes)
            else 'the operation, one of its changes or a record that it erased was altered after it was sealed' end as detail
  from present p
 where p.leaf <> p.sealed_leaf or p.changes <> p.sealed_changes
 union all
select 'operation', s.operation, format('the operation is missing, although seal %s contains it', s.seal)
  from usher.sealed s
 where not exists (select from usher.operation o where o.id = s.operation)
 union all
select 'operation', p.id, 'the operation is older than the last seal, but the seal does not contain it'
  from present p
  join (select c.* from chain c order by c.number desc limit 1) c on true
 where p.seal is null and p.transaction < c.horizon
   and c.system_identifier = (select s.system_identifier from pg_control_system() s)
 union all
select 'seal', null, format('seal %s differs from the digest of its operations', c.number)
  from chain c
  left join roots r on r.seal = c.number
 where c.root is distinct from r.root
 union all
select 'seal', null, format('seal %s does not follow from the seal before it', c.number)
  from chain c
 where c.number <> c.previous + 1 or c.head <> c.expected
 union all
select 'seal', null, format('seal %s is missing', r.seal)
  from roots r
 where not exists (select from usher.seal e where e.number = r.seal)
 union all
select 'head', null, 'no seal has the head from --head'
 where $1::text is not null and not exists (select from usher.seal s where s.head = decode(lower($1::text), 'hex'))
