-- Reading rows by key, and their images as JSON.

-- The name of a relation, with a star if a statement writes its heirs too.
create or replace function usher.relation_name(target jsonb) returns text
language sql immutable
as $$ select (target ->> 'schema') || '.' || (target ->> 'name') || case when (target ->> 'heirs')::boolean then ' *' else '' end $$;

-- How exactly JSON holds the values of each type of a table's columns. A column consists of its own type, the base types of domains and
-- the elements of arrays. The text of a name (regclass) depends on the search path.
create or replace function usher.column_forms(relation oid) returns table (type oid, form text)
language sql stable rows 10
as $$
    with recursive
    base (type, base) as (
        select distinct a.atttypid, a.atttypid
          from pg_attribute a
         where a.attrelid = column_forms.relation and a.attnum > 0 and not a.attisdropped
         union
        select b.type, coalesce(nullif(d.typbasetype, 0), nullif(d.typelem, 0))
          from base b join pg_type d on d.oid = b.base
         where d.typbasetype <> 0 or d.typcategory = 'A'
    )
    select b.type,
           case when bool_or(t.typnamespace = 'pg_catalog'::regnamespace and t.typname ~ '^reg') then 'name'
                when bool_or(t.oid = 'json'::regtype) and not bool_or(t.typcategory = 'A') then 'json'
                when bool_or(t.oid = 'jsonb'::regtype) and not bool_or(t.typcategory = 'A') then 'jsonb'
                when bool_or(t.typtype = 'c' or t.oid in ('json'::regtype, 'jsonb'::regtype)
                             or exists (select from pg_cast k
                                         where k.castsource = t.oid and k.casttarget = 'json'::regtype
                                           and t.oid >= 16384)) then 'text'
                when bool_or(t.typcategory = 'A') then 'array'
                when bool_or(t.oid in ('float4'::regtype, 'float8'::regtype)) then 'float'
                else 'plain' end
      from base b join pg_type t on t.oid = b.base
     group by 1
$$;

-- The numbers of the columns that tell the rows of a table apart: the primary key, else a unique key without nulls; NULL if it has none.
create or replace function usher.key_numbers(relation oid) returns int2[]
language sql stable strict
as $$
    select (i.indkey::int2[])[0:i.indnkeyatts - 1]
      from pg_index i
     where i.indrelid = key_numbers.relation and i.indisunique and i.indisvalid and i.indpred is null and i.indexprs is null
       and not exists (select from pg_attribute b
                        where b.attrelid = i.indrelid and b.attnum = any ((i.indkey::int2[])[0:i.indnkeyatts - 1]) and not b.attnotnull)
     order by i.indisprimary desc, i.indnkeyatts, i.indexrelid
     limit 1
$$;

-- A table as this schema reads and writes it: its key and every column, with a
-- `form` that says how exactly JSON holds its values. NULL if it is no table.
create or replace function usher.shape(relation oid, secrets text[]) returns jsonb
language sql stable
as $$
    with recursive
    ancestry (ancestor) as (
        select shape.relation
         union
        select i.inhparent from ancestry a join pg_inherits i on i.inhrelid = a.ancestor
    )
    select jsonb_build_object(
               'oid', c.oid::text,
               'schema', n.nspname, 'relation', c.relname, 'name', n.nspname || '.' || c.relname,
               'sql', quote_ident(n.nspname) || '.' || quote_ident(c.relname),
               'temporary', c.relpersistence = 't', 'partitioned', c.relkind = 'p', 'distributed', usher.is_distributed(c.oid),
               'ancestors', (select jsonb_agg(m.nspname || '.' || p.relname)
                               from ancestry y
                               join pg_class p on p.oid = y.ancestor
                               join pg_namespace m on m.oid = p.relnamespace),
               'columns', jsonb_agg(
                   jsonb_build_object(
                       'name', a.attname, 'sql', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod),
                       'bare_type', format_type(a.atttypid, -1), 'type_oid', a.atttypid::bigint, 'form', f.form, 'generated', a.attgenerated <> '',
                       'settable', a.attgenerated = '' and a.attidentity <> 'a',
                       'in_key', coalesce(a.attnum = any (k.columns), false),
                       'secret', exists (select from unnest(shape.secrets) s (path)
                                           where parse_ident(s.path) = array[n.nspname, c.relname, a.attname]::text[]))
                   order by a.attnum))
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join usher.column_forms(shape.relation) f on f.type = a.atttypid
     cross join lateral (select usher.key_numbers(c.oid) as columns offset 0) k
     where c.oid = shape.relation
     group by c.oid, n.oid, n.nspname, c.relname
$$;

-- The tables that a pass wrote, by oid, without temporary ones.
create or replace function usher.shapes(app jsonb, pass jsonb) returns jsonb
language plpgsql stable
as $$
declare
    secrets constant text[] := array(select jsonb_array_elements_text(app -> 'secrets'));
    shapes jsonb;
    secret record;
begin
    select coalesce(jsonb_object_agg(s.shape ->> 'oid', s.shape), '{}') into shapes
      from jsonb_object_keys(pass -> 'counts') k (oid), lateral (select usher.shape(k.oid::oid, secrets) as shape offset 0) s
     where not (s.shape ->> 'temporary')::boolean;
    for secret in
        select s.value ->> 'name' as relation, c.value ->> 'name' as name
          from jsonb_each(shapes) s, jsonb_array_elements(s.value -> 'columns') c
         where (c.value ->> 'in_key')::boolean and (c.value ->> 'secret')::boolean
    loop
        raise exception 'this action changes rows of %, but their key % is a @secret, so usher can''t record them', secret.relation, secret.name
              using errcode = 'US003', detail = 'secret_key';
    end loop;
    return shapes;
end
$$;

-- Whether a table has a key.
create or replace function usher.has_key(shape jsonb) returns boolean
language sql immutable
as $$ select jsonb_path_exists(shape, '$.columns[*] ? (@.in_key == true)') $$;

-- SQL for a value of a column as `to_jsonb` takes it, so that it can be restored to the byte: if JSON would lose something, its
-- text. It is valid under any search path.
create or replace function usher.value(of jsonb, value text) returns text
language sql immutable
as $$
    select case of ->> 'form'
           when 'plain' then value.value
           when 'float' then format('case when %1$s::text = ''-0'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'array' then format('case when %1$s::text ~ ''^\[|-0[,}]'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'jsonb' then format('case when pg_catalog.jsonb_typeof(%1$s) in (''object'', ''array'') then %1$s::jsonb else pg_catalog.to_jsonb(%1$s::text) end', value.value)
           else format('pg_catalog.to_jsonb(%s::text)', value.value) end
$$;

-- SQL for a JSON object of some columns of a row with an alias, each to the byte. A function takes at most a hundred arguments. It
-- is valid under any search path.
create or replace function usher.object(columns jsonb, alias text) returns text
language sql immutable
as $$
    select coalesce(string_agg('pg_catalog.jsonb_build_object(' || chunk.pairs || ')', ' || ' order by chunk.number), '''{}''::jsonb')
      from (select (c.place - 1) / 50 as number,
                   string_agg(quote_literal(c.of ->> 'name') || ', ' || usher.value(c.of, object.alias || '.' || (c.of ->> 'sql')),
                              ', ' order by c.place) as pairs
              from jsonb_array_elements(object.columns) with ordinality as c (of, place)
             group by 1) chunk
$$;

-- SQL for a whole row `t` as JSON. Secrets are left out, or replaced by digests with a salt, by which two images show whether they
-- changed. A row that Citus fetches from another server has lost the names of its columns.
create or replace function usher.image(shape jsonb, salt text default null) returns text
language sql immutable
as $$
    select case when hidden.digests is null and not (shape ->> 'distributed')::boolean
                then 'to_jsonb(t.*)' || case when special.columns is null then '' else ' || ' || usher.object(special.columns, 't') end
                else usher.object(shown.columns, 't') || case when image.salt is null or hidden.digests is null then '' else ' || ' || hidden.digests end
           end
      from (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where not (c.of ->> 'secret')::boolean) shown,
           (select jsonb_agg(c.of order by c.place) as columns
              from jsonb_array_elements(image.shape -> 'columns') with ordinality as c (of, place)
             where c.of ->> 'form' <> 'plain') special,
           (select string_agg(
                       format('jsonb_build_object(%L, sha256(convert_to(%L || t.%s::text, ''UTF8'')))',
                              c.of ->> 'name', coalesce(image.salt, ''), c.of ->> 'sql'), ' || ') as digests
              from jsonb_array_elements(image.shape -> 'columns') as c (of)
             where (c.of ->> 'secret')::boolean) hidden
$$;

-- SQL for the key of a row `t` as a JSON list of texts.
create or replace function usher.key_texts(shape jsonb) returns text
language sql immutable
as $$
    select format('jsonb_build_array(%s)', string_agg(format('t.%s::text', c.of ->> 'sql'), ', ' order by c.place))
      from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
     where (c.of ->> 'in_key')::boolean
$$;

-- SQL that joins rows `t` with elements `e` of a list of keys.
create or replace function usher.key_join(shape jsonb) returns text
language sql immutable
as $$
    select string_agg(format('t.%s = (e.value ->> %s)::%s', k.of ->> 'sql', k.place - 1, k.of ->> 'type'), ' and ' order by k.place)
      from (select c.of, row_number() over (order by c.place) as place
              from jsonb_array_elements(shape -> 'columns') with ordinality as c (of, place)
             where (c.of ->> 'in_key')::boolean) k
$$;

-- Two lists of keys as one, without duplicates.
create or replace function usher.distinct_keys(one jsonb, other jsonb) returns jsonb
language sql immutable
as $$ select coalesce(jsonb_agg(distinct k.value), '[]') from jsonb_array_elements(one || other) k $$;

-- SQL for this transaction, read once for all rows. With Citus, each server has its own.
create or replace function usher.own_transaction(shape jsonb) returns text
language sql immutable
as $$
    select case when (shape ->> 'distributed')::boolean then ''
                else ' cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own' end
$$;

-- SQL for whether a system column (xmin or xmax) has a transaction of ours, and what became of it.
create or replace function usher.is_of_own(shape jsonb, version text, status text) returns text
language sql immutable
as $$
    select case when (shape ->> 'distributed')::boolean
                then replace(replace(o.condition, 'own.x', 'pg_current_xact_id()::xid'), 'own.n', 'pg_current_xact_id()::text::numeric')
                else o.condition end
      from (select format('age(%1$s) <= age(own.x) and pg_xact_status((own.n + age(own.x) - age(%1$s))::text::xid8) = %2$L',
                          is_of_own.version, is_of_own.status)) as o (condition)
$$;

-- The keys of rows of a table, as JSON lists of texts: `places` of rows at some places, each with its partition if there are any;
-- `written` of rows whose visible version is ours; `rolled back` of rows that were overwritten, deleted or locked by what is
-- rolled back by now. A version that is visible although its writer is still in progress can only be our own. With Citus, each
-- server asks that of its own transaction, and a place is the key.
create or replace function usher.row_keys(shape jsonb, which text, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    key constant text := (select string_agg(format('t.%s::text', c.of ->> 'sql'), ', ')
                            from jsonb_array_elements(shape -> 'columns') c (of) where (c.of ->> 'in_key')::boolean);
    -- Every partition has a row at the same place.
    parts constant text[] := case when row_keys.which = 'places' and (shape ->> 'partitioned')::boolean
                                  then array(select distinct split_part(p.place, ' ', 2) from jsonb_array_elements_text(row_keys.places) p (place))
                                  else '{""}' end;
    part text;
    own jsonb;
    keys jsonb := '[]';
begin
    if row_keys.which = 'places' and (shape ->> 'distributed')::boolean then
        return (select coalesce(jsonb_agg(distinct (p.place)::jsonb), '[]') from jsonb_array_elements_text(row_keys.places) p (place));
    end if;
    foreach part in array parts loop
        execute format(
            'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'')
               from %s t%s
              where %s', key, case when part = '' then shape ->> 'sql' else part::oid::regclass::text end, usher.own_transaction(shape), case row_keys.which
            when 'places' then format('t.ctid = any (array(select split_part(p.place, '' '', 1)::tid
                                                             from jsonb_array_elements_text($1) p (place)
                                                            where split_part(p.place, '' '', 2) = %L))', part)
            when 'written' then '$1 is null and ' || usher.is_of_own(shape, 't.xmin', 'in progress')
            else '$1 is null and t.xmax <> ''0''::xid and ' || usher.is_of_own(shape, 't.xmax', 'aborted') end)
           into own
          using case when row_keys.which = 'places' then row_keys.places end;
        keys := keys || own;
    end loop;
    return keys;
end
$$;

-- The keys of the rows that a pass wrote, as they are now, by table.
create or replace function usher.written_keys(shapes jsonb, pass jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    keys jsonb := '{}';
    shape record;
begin
    for shape in select s.key as oid, s.value as of from jsonb_each(shapes) s where usher.has_key(s.value) loop
        keys := keys || jsonb_build_object(shape.oid, usher.row_keys(
            shape.of, case when usher.tells_all(pass, shape.oid) then 'places' else 'written' end, pass -> 'places' -> shape.oid));
    end loop;
    return keys;
end
$$;

-- The rows of a table with some keys as they are now: [{"k": key, "i": image}]. They are locked, except with Citus, which can't
-- lock several rows at once; there, a concurrent change makes the statement fail that writes the row.
create or replace function usher.images(shape jsonb, keys jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', r.k, ''i'', r.i)), ''[]'')
           from (select %s as k, %s as i from %s t join jsonb_array_elements($1) e on %s order by 1%s) r',
        usher.key_texts(shape), usher.image(shape, salt), shape ->> 'sql', usher.key_join(shape),
        case when (shape ->> 'distributed')::boolean then '' else ' for no key update of t' end)
       into found using images.keys;
    return found;
end
$$;
