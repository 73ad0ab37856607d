-- Types ($1, by name or oid) as SQL has them, and whether the role may run a block.
select case when t.type ~ '^[0-9]+$' then format_type(t.type::oid, -1) else t.type end as type,
       exists (select from pg_language l
                where l.lanname = 'plpgsql' and has_language_privilege(l.oid, 'usage')) as may_run_blocks
  from unnest($1::text[]) with ordinality as t (type, place)
 order by t.place
