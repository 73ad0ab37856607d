-- What the audit log knows of single users of a table ($2 and $3, its schema and its name) whom it calls by a text ($1): their keys, and
-- the emails they had. Of a user whose deletion it recorded it has forgotten all of that.
select distinct o.subjects[1] as key, case when o.payload ->> 'target' like '%_@_%' then o.payload ->> 'target' end as email
  from usher.operation o
 where o.root = quote_ident($2) || '.' || quote_ident($3) and cardinality(o.subjects) = 1
   and (lower(o.payload ->> 'target') = lower($1) or o.subjects @> array[$1])
