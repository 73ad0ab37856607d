-- The operations and changes whose payload doesn't match its digest.
select 'payload' as problem, r.operation,
       format('the payload of %s was changed after it was recorded', coalesce('change ' || r.ordinal, 'the operation')) as detail
  from (select o.id as operation, null::integer as ordinal, o.digest, o.salt, o.payload from usher.operation o
         union all
        select c.operation, c.ordinal, c.digest, c.salt, c.payload from usher.change c) r
 where r.payload is not null and r.digest is distinct from sha256(r.salt || convert_to(r.payload::text, 'UTF8'))
