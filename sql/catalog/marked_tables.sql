-- Tables as selects in which some columns hold a mark instead of what they hold: as a constant where their type is one of texts
-- or documents, so that Postgres computes with it, and read from a setting of the mark's name where it is not. A column without
-- a mark keeps what it holds, and goes by another name where one is given ($4).
select n.nspname as schema, c.relname as name,
       '(select ' || string_agg(
           case when w.mark is null then 't.' || quote_ident(a.attname)
                when b.typname in ('json', 'jsonb') and b.typnamespace = 'pg_catalog'::regnamespace
                    then quote_literal(to_json(w.mark)::text) || '::' || format_type(b.oid, -1)
                when b.typcategory = 'S' then quote_literal(w.mark) || '::' || format_type(b.oid, -1)
                else 'current_setting(' || quote_literal(w.mark) || ', true)::' || format_type(b.oid, -1)
           end || ' as ' || quote_ident(coalesce(w.called, a.attname)), ', ' order by a.attnum)
           || ' from ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname) || ' t)' as marked
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  join pg_type t on t.oid = a.atttypid
  join pg_type b on b.oid = case when t.typtype = 'd' then t.typbasetype else t.oid end
  left join unnest($1::oid[], $2::smallint[], $3::text[], $4::text[]) as w (relation, attribute, mark, called)
    on w.relation = c.oid and w.attribute = a.attnum
 where c.oid = any($1::oid[])
 group by n.nspname, c.relname
