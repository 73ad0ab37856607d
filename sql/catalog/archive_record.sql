-- The recorded checksum of the archive of a deletion ($1), and the restore that undid the deletion, if any.
select (select a.payload ->> 'archive'
          from usher.operation a
         where a.parent = coalesce(d.parent, d.id)
           and a.kind = 'batch' and a.command = 'account delete archive'
           and a.payload ->> 'deletion' = d.id::text) as seal,
       (select u.id::text from usher.operation u where u.undoes = d.id limit 1) as restored
  from usher.operation d
 where d.id = $1::uuid
