-- The SQL that puts back what an operation ($6) changed in some columns of rows that are as it left them, and takes that down as
-- the operation $4: how many it put back, how many it should have, which changes are unlike the others, and which rows are
-- something else since. A row that is as it was before is left alone.
-- `rewritten` are the columns that triggers write, `watched` those that nobody should.
create or replace function usher.restore_statement(shape jsonb, columns jsonb, rewritten jsonb, watched jsonb) returns text
language sql immutable
as $$
    select format(
$statement$
with c as materialized (
    select c.ordinal, c.payload -> 'key' as key, x.before, x.after, b as image,
           c.erased is null and c.payload ->> 'table' = %1$L and c.payload -> 'secrets' is null
           and pg_catalog.jsonb_typeof(c.payload -> 'before') = 'object' and pg_catalog.jsonb_typeof(c.payload -> 'after') = 'object'
           and x.before - %2$L::text[] = '{}' and x.after - %2$L::text[] = '{}' as is_plain
      from usher.change c
     cross join lateral (select (c.payload -> 'before') - %3$L::text[] as before, (c.payload -> 'after') - %3$L::text[] as after) x
     cross join lateral pg_catalog.jsonb_populate_record(null::%4$s, (c.payload -> 'before') || (c.payload -> 'key')) b
     where c.operation = $6),
o as materialized (
    select c.ordinal, c.key, c.before, c.after, c.image, t.ctid as place, %5$s as others, %6$s as watched,
           (now.image || c.before)::text <> now.image::text as is_due
      from c
      join %7$s%4$s t on %8$s
     cross join lateral (select %9$s as image) now
     where c.is_plain and now.image::text in ((now.image || c.after)::text, (now.image || c.before)::text)),
w as (
    update %7$s%4$s t set (%10$s) = row(%11$s) from o
     where o.is_due and %13$s
    returning o.ordinal, o.key, o.before, o.after, o.others, %5$s as others_now, %9$s as image, %12$s as is_straying),
d as materialized (
    select pg_catalog.row_number() over () - 1 as ordinal, w.is_straying or (w.image || w.before)::text <> w.image::text as is_straying,
           pg_catalog.jsonb_build_object(
               'table', %1$L::text, 'key', w.key, 'before', w.after || (w.others - same.names), 'after', w.before || (w.others_now - same.names),
               'rewritten', pg_catalog.to_jsonb(%3$L::text[]) - same.names) as payload
      from w
     cross join lateral (
           select array(select n.name from pg_catalog.unnest(%3$L::text[]) n (name)
                         where (w.others -> n.name)::text = (w.others_now -> n.name)::text) as names offset 0) same),
s as (
    select d.ordinal, d.payload, pg_catalog.substr(pg_catalog.sha256($5 || pg_catalog.int8send(d.ordinal + 1)), 1, 16) as salt from d offset 0),
i as (
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select $4, s.ordinal, pg_catalog.sha256(s.salt || pg_catalog.convert_to(s.payload::text, 'UTF8')), s.salt, s.payload from s
    returning 1)
select pg_catalog.jsonb_build_object(
           'written', n.written, 'found', (select pg_catalog.count(*) from o where o.is_due), 'changed', (select pg_catalog.count(*) from i),
           'straying', (select pg_catalog.count(*) from d where d.is_straying),
           'unlike', (select pg_catalog.count(*) from c where not c.is_plain),
           'since', case when n.written = n.recorded then '{}'
                         else array(select c.ordinal from c except select o.ordinal from o order by 1) end)
  from (select (select pg_catalog.count(*) from w) as written, (select pg_catalog.count(*) from c) as recorded) n
$statement$,
        shape ->> 'name', names.written, names.rewritten, shape ->> 'sql', usher.object(restore_statement.rewritten, 't'),
        coalesce('row(' || names.watched || ')', 'null::record'), case when (shape ->> 'partitioned')::boolean then '' else 'only ' end,
        replace(names.same, '(o.image)', '(c.image)'),
        usher.object(restore_statement.columns, 't'), names.list, names.amounts,
        coalesce('o.watched operator(pg_catalog.*<>) row(' || names.watched || ')', 'false'),
        -- Among partitions a place has to be looked for in each, a key in one.
        case when (shape ->> 'partitioned')::boolean then names.same else 't.ctid = o.place' end)
      from (select array(select w.of ->> 'name' from jsonb_array_elements(restore_statement.columns) w (of)) as written,
                   array(select r.of ->> 'name' from jsonb_array_elements(restore_statement.rewritten) r (of)) as rewritten,
                   (select string_agg('t.' || (h.of ->> 'sql'), ', ') from jsonb_array_elements(watched) h (of)) as watched,
                   (select string_agg(format('t.%1$s = (o.image).%1$s', k.of ->> 'sql'), ' and ')
                      from jsonb_array_elements(shape -> 'columns') k (of) where (k.of ->> 'in_key')::boolean) as same,
                   (select string_agg(w.of ->> 'sql', ', ') from jsonb_array_elements(restore_statement.columns) w (of)) as list,
                   (select string_agg(format('case when o.before ? %L then %s else t.%s end', w.of ->> 'name',
                                             usher.recorded_value(w.of, 'o.before', '(o.image)'), w.of ->> 'sql'), ', ')
                      from jsonb_array_elements(restore_statement.columns) w (of)) as amounts) names
$$;
