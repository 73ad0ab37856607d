-- The bulk changes whose list of users has keys that don't match their digests.
select 'bulk' as problem, s.operation, format('%s keys in the list of users differ from their digests', count(*)) as detail
  from usher.subject s
 where s.key is not null and (s.digest = sha256(s.salt || convert_to(s.ordinal || ' ' || s.key, 'UTF8'))) is not true
   and exists (select from usher.operation w where w.id = s.operation and w.payload ? 'list')
 group by s.operation
