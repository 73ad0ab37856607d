-- The keys and emails of the users of a table ($2 schema, $3 name) whose email or key in the audit log is the text $1. The query reads only
-- operations on a single user. After a recorded deletion, the audit log no longer has the user.
select distinct o.subjects[1] as key, case when o.payload ->> 'target' like '%_@_%' then o.payload ->> 'target' end as email
  from usher.operation o
 where o.root = quote_ident($2) || '.' || quote_ident($3) and cardinality(o.subjects) = 1
   and (lower(o.payload ->> 'target') = lower($1) or o.subjects @> array[$1])
