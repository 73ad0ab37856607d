-- The checksum of the archive that a deletion ($1) wrote, as far as it is on record.
select a.payload ->> 'archive' as seal
  from usher.operation d
  join usher.operation a on a.parent = coalesce(d.parent, d.id)
 where d.id = $1::uuid
   and a.kind = 'batch' and a.command = 'account delete archive'
   and a.payload ->> 'deletion' = d.id::text
