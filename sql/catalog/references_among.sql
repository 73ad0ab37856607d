-- Which of some tables ($1) refer to which, a table to itself left out.
select distinct c.confrelid::text as referenced, c.conrelid::text as referring
  from pg_constraint c
 where c.contype = 'f' and c.conrelid <> c.confrelid
   and c.conrelid = any ($1::oid[]) and c.confrelid = any ($1::oid[])
