-- The number of records in the audit log that each deletion erased.
select e.erased as operation, count(*) as rows
  from (select o.erased from usher.operation o union all select c.erased from usher.change c) e
 where e.erased is not null
 group by e.erased
 order by rows desc, e.erased
