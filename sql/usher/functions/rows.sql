-- The functions that read rows by key, and represent rows as JSON (images).
--
-- A shape describes a table (see the type `shape`). A pass is the result of one run of the statements of an action (see `run_pass`).

-- The way in which usher writes values of a type as JSON (the form); `plain` means that JSON represents the values exactly. A domain has
-- the form of its base type. An array has the form `array`, unless its elements need another form. Types such as regclass have the form
-- `name`, because their text depends on the search path.
create or replace function usher.form(type oid) returns text
language plpgsql stable
as $$
declare
    own pg_type;
begin
    select t.* into own from pg_type t where t.oid = form.type;
    return case
           when own.typbasetype <> 0 then usher.form(own.typbasetype)
           when own.typcategory = 'A' then
                (select case when e.form = 'name' then e.form when e.form in ('json', 'jsonb', 'text') then 'text' else 'array' end
                   from (select usher.form(own.typelem)) as e (form))
           when own.typnamespace = 'pg_catalog'::regnamespace and own.typname ~ '^reg' then 'name'
           when own.oid = 'json'::regtype then 'json'
           when own.oid = 'jsonb'::regtype then 'jsonb'
           when own.typtype = 'c'
                or own.oid >= 16384 and exists (select from pg_cast k where k.castsource = own.oid and k.casttarget = 'json'::regtype) then 'text'
           when own.oid in ('float4'::regtype, 'float8'::regtype) then 'float'
           else 'plain' end;
end
$$;

-- The numbers of the key columns of a table: of the primary key, else of a unique key without nulls. NULL if the table has no such key.
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

-- The shape of a table of an app; NULL if the relation is not a table.
create or replace function usher.shape(relation oid, app jsonb) returns usher.shape
language sql stable
as $$
    select own.oid, own.home, own.relname, own.home || '.' || own.relname, quote_ident(own.home) || '.' || quote_ident(own.relname),
           own.relpersistence = 't', own.relkind = 'p', own.is_distributed, array_agg(c.of order by (c.of).place) as columns,
           string_agg(format('t.%s::text', (c.of).sql), ', ' order by (c.of).place) filter (where c.number > 0) as key,
           string_agg(format('t.%s = (e.value ->> %s)::%s', (c.of).sql, c.number - 1, (c.of).type), ' and ') filter (where c.number > 0) as joined,
           coalesce(string_agg(format(' || jsonb_build_object(%L, sha256(convert_to($2 || t.%s::text, ''UTF8'')))', (c.of).name, (c.of).sql), '')
                        filter (where (c.of).is_secret), '') as digests,
           -- With Citus, a row from another server has no column names, so to_jsonb() can't be used.
           case when not bool_or((c.of).is_secret) and not own.is_distributed
                then concat_ws(' operator(pg_catalog.||) ', 'pg_catalog.to_jsonb(t.*)', nullif(usher.object(array_agg(c.of order by (c.of).place) filter (where (c.of).form <> 'plain'), 't'),
                                                               '''{}''::jsonb'))
                else usher.object(array_agg(c.of order by (c.of).place) filter (where not (c.of).is_secret), 't') end as image,
           own.users, own.is_user
      from (select r.*, n.nspname as home, coalesce(usher.key_numbers(r.oid), '{}') as keyed, usher.is_distributed(r.oid) as is_distributed,
                   array(select p.names[3] from jsonb_array_elements_text(app -> 'secrets') s (path), parse_ident(s.path) as p (names)
                          where p.names[1:2] = array[n.nspname, r.relname]::text[]) as hidden, u.columns as users, u.is_user
              from pg_class r
              join pg_namespace n on n.oid = r.relnamespace
             cross join lateral usher.user_columns(app -> 'root', r.oid) u
             where r.oid = shape.relation offset 0) own
     cross join lateral (
           select case when k.in_key then count(*) filter (where k.in_key) over (order by a.attnum) end as number,
                  row(a.attnum, a.attname, quote_ident(a.attname), format_type(a.atttypid, a.atttypmod), format_type(a.atttypid, -1), a.atttypid,
                      usher.form(a.atttypid), a.attgenerated <> '', a.attgenerated = '' and a.attidentity <> 'a',
                      k.in_key, k.is_secret)::usher.shape_column as of
             from pg_attribute a
            cross join lateral (select a.attnum = any (own.keyed), a.attname = any (own.hidden)) as k (in_key, is_secret)
            where a.attrelid = own.oid and a.attnum > 0 and not a.attisdropped) c
     group by own.oid, own.home, own.relname, own.relpersistence, own.relkind, own.is_distributed, own.users, own.is_user
$$;

-- SQL for the JSON value of a column, from which usher can restore the same bytes. If JSON can't represent the value exactly, the JSON
-- value is its text. The SQL works under any search path.
create or replace function usher.value(form text, value text) returns text
language sql immutable
as $$
    select case value.form
           when 'plain' then value.value
           when 'float' then format('case when %1$s::text = ''-0'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'array' then format('case when %1$s::text ~ ''^\[|-0[,}]'' then pg_catalog.to_jsonb(%1$s::text) else pg_catalog.to_jsonb(%1$s) end', value.value)
           when 'jsonb' then format('case when pg_catalog.jsonb_typeof(%1$s) in (''object'', ''array'') then %1$s::jsonb else pg_catalog.to_jsonb(%1$s::text) end', value.value)
           else format('pg_catalog.to_jsonb(%s::text)', value.value) end
$$;

-- SQL for a JSON object of some columns of a row, from which usher can restore the same bytes. The SQL works under any search path. It
-- contains several function calls, because a function can't have more than a hundred arguments.
create or replace function usher.object(columns usher.shape_column[], alias text) returns text
language sql immutable
as $$
    select coalesce(string_agg('pg_catalog.jsonb_build_object(' || chunk.pairs || ')', ' operator(pg_catalog.||) ' order by chunk.number), '''{}''::jsonb')
      from (select (c.ordinality - 1) / 50 as number,
                   string_agg(quote_literal(c.name) || ', ' || usher.value(c.form, object.alias || '.' || c.sql), ', ' order by c.ordinality) as pairs
              from unnest(object.columns) with ordinality c
             group by 1) chunk
$$;

-- The shapes of the tables that the statements wrote in a run (`pass`), except temporary tables. `is_user` stays only in the shapes of
-- tables where usher counts rows of other users.
create or replace function usher.shapes(app jsonb, act usher.action, pass jsonb) returns usher.shape[]
language plpgsql stable
as $$
declare
    is_confined constant boolean := act.subject = 'users' and act.undoes is null
                                    and not jsonb_path_exists(act.steps, '$[*] ? (@.confined != true)');
    relation text;
    shape usher.shape;
    secret text;
    shapes usher.shape[] := '{}';
begin
    for relation in select jsonb_object_keys(shapes.pass -> 'counts') loop
        shape := usher.shape(relation::oid, app);
        continue when shape.is_temporary;
        secret := (select c.name from unnest(shape.columns) c where c.in_key and c.is_secret limit 1);
        if secret is not null then
            raise exception 'this action changes rows of %, but the key column % is a @secret, so usher can''t record these rows', shape.name, secret
                  using errcode = 'US003', detail = 'secret_key';
        end if;
        -- In a table without a key, usher can't distinguish the rows of the statements from the rows that triggers wrote.
        if not is_confined or shape.users = '{}' or shape.key is null and not pass -> 'told_all' ? relation then shape.is_user := null; end if;
        shapes := shapes || shape;
    end loop;
    return shapes;
end
$$;

-- SQL that tests if a system column (xmin or xmax) contains the id of this transaction, or of one of its savepoints, with the given status.
-- The SQL reads the current transaction id once for all rows; with Citus, each server reads its own.
create or replace function usher.is_of_own(shape usher.shape, version text, status text) returns text
language sql immutable
as $$
    select format('age(%1$s) <= age(%2$s::xid) and pg_xact_status((%2$s::text::numeric + age(%2$s::xid) - age(%1$s))::text::xid8) = %3$L',
                  is_of_own.version,
                  case when shape.is_distributed then 'pg_current_xact_id()' else '(select pg_current_xact_id())' end,
                  is_of_own.status)
$$;

-- The keys of rows of a table, as JSON arrays of texts. `which` selects the rows:
--   places        rows at some row addresses (ctid), each with its partition if there are partitions
--   written       rows whose visible version this transaction wrote
--   rolled back   rows that a rolled-back savepoint of this transaction overwrote, deleted or locked
--
-- A visible version whose transaction is still in progress can only come from this transaction. With Citus, each server compares the row
-- versions with its own transaction id, and `places` has keys instead of row addresses.
create or replace function usher.row_keys(shape usher.shape, which text, places jsonb) returns jsonb
language plpgsql volatile
as $$
declare
    -- Rows of different partitions can have the same row address, so usher reads each partition separately.
    parts constant text[] := case when row_keys.which = 'places' and shape.is_partitioned
                                  then array(select distinct split_part(p.place, ' ', 2) from jsonb_array_elements_text(row_keys.places) p (place))
                                  else '{""}' end;
    part text;
    own jsonb;
    keys jsonb := '[]';
begin
    if row_keys.which = 'places' and shape.is_distributed then
        return (select coalesce(jsonb_agg(distinct (p.place)::jsonb), '[]') from jsonb_array_elements_text(row_keys.places) p (place));
    end if;
    foreach part in array parts loop
        execute format(
            'select coalesce(jsonb_agg(distinct jsonb_build_array(%s)), ''[]'') from %s t where %s',
            shape.key, case when part = '' then shape.sql else part::oid::regclass::text end, case row_keys.which
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

-- The current keys of the rows that the statements wrote in a run (`pass`), by table.
create or replace function usher.written_keys(shapes usher.shape[], pass jsonb) returns jsonb
language sql volatile
as $$
    select coalesce(jsonb_object_agg(s.oid, usher.row_keys(
               s, case when pass -> 'told_all' ? s.oid::text then 'places' else 'written' end, pass -> 'places' -> s.oid::text)), '{}')
      from unnest(shapes) s where s.key is not null
$$;

-- Adds the keys of the rows that the statements returned in a run (`pass`) to the `known` keys, by table. usher needs these keys only for
-- tables with rows of users in which triggers also wrote. Before the rollback of the run, the function finds the rows that still exist;
-- after the rollback, it finds the deleted rows. It skips tables whose statements can't return their rows; then usher treats all written
-- rows as rows that the statements wrote.
create or replace function usher.told_keys(act usher.action, relations jsonb, shapes usher.shape[], pass jsonb, known jsonb) returns jsonb
language sql volatile
as $$
    select coalesce(jsonb_object_agg(s.oid, case when known ? s.oid::text and pass -> 'counts' -> s.oid::text ->> 2 = '0' then known -> s.oid::text
               else coalesce(known -> s.oid::text, '[]') || usher.row_keys(s, 'places', coalesce(pass -> 'places' -> s.oid::text, '[]')) end), '{}')
      from unnest(shapes) s
     where s.is_user is not null and s.key is not null and not pass -> 'told_all' ? s.oid::text
       and not exists (select from jsonb_array_elements(act.steps) p (of), jsonb_array_elements(p.of -> 'targets') t (of)
                        where p.of ->> 'returning' is null and relations -> usher.relation_name(t.of) -> 'tables' ? s.oid::text)
$$;

-- SQL for the columns of a row `t` that say to which user the row belongs, as a JSON object, including secrets. The object is null if usher
-- doesn't count rows of other users in this table.
create or replace function usher.row_users(shape usher.shape) returns text
language sql immutable
as $$
    select case when shape.is_user is null then 'null::jsonb'
                else usher.object(array(select c from unnest(shape.columns) c where c.name = any (shape.users)), 't') end
$$;

-- The current rows of a table that have the given keys, each as {"k": key, "i": image, "u": users} (see `row_users`). Locks the rows, except
-- with Citus, which can't lock several rows at once. With Citus, the statement that writes a row fails after a concurrent change.
create or replace function usher.images(shape usher.shape, keys jsonb, salt text) returns jsonb
language plpgsql volatile
as $$
declare
    found jsonb;
begin
    execute format(
        'select coalesce(jsonb_agg(jsonb_build_object(''k'', r.k, ''i'', r.i, ''u'', r.u)), ''[]'')
           from (select jsonb_build_array(%s) as k, %s%s as i, %s as u from %s t join jsonb_array_elements($1) e on %s order by 1%s) r
          where $2 is not null',
        shape.key, shape.image, shape.digests, usher.row_users(shape), shape.sql, shape.joined,
        case when shape.is_distributed then '' else ' for no key update of t' end)
       into found using (select jsonb_agg(distinct k.value) from jsonb_array_elements(images.keys) k), images.salt;
    return found;
end
$$;
