-- The functions that erase records about deleted users from the audit log.

-- The emails of users, from the columns that the app file declares. A text without @ is not an email, because any word in the records could
-- be equal to it. The result is empty if no installed app has this table of users. With `alone`, the function returns only emails that no
-- other user has, ignoring case.
create or replace function usher.addresses(root jsonb, key text, type text, keys text[], alone boolean) returns text[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    every text;
    found text[];
begin
    select string_agg(format(
               'select t.%3$I::text as key, a.address from %1$s t cross join lateral unnest(array[%2$s]) as a (address)
                 where strpos(a.address, ''@'') > 1 and (t.%3$I = any ($1::%4$s[])) = $2',
               p.name, p.columns, p.key, p.type), ' union ') into every
      from (select quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table') as name, e ->> 'key' as key,
                   format_type(c.atttypid, -1) as type,
                   string_agg(distinct format('t.%I::text collate "default"', e ->> 'column'), ', ') as columns
              from usher.act a
             cross join lateral jsonb_array_elements(a.definition -> 'emails') as e
              join pg_attribute c on c.attrelid = to_regclass(quote_ident(e ->> 'schema') || '.' || quote_ident(e ->> 'table'))
                                 and c.attname = e ->> 'key' and c.attnum > 0 and not c.attisdropped
             where a.kind = 'app' and a.retired_at is null and a.definition #>> '{root,schema}' = addresses.root ->> 'schema'
               and a.definition #>> '{root,table}' = addresses.root ->> 'table'
               and a.definition #>> '{root,key}' = addresses.key
             group by 1, 2, 3) p;
    if every is null then return '{}'; end if;
    execute format('select array(select x.address from (%s) x group by 1)', every) into found using addresses.keys, true;
    if addresses.alone and found <> '{}' then
        -- Another user with the same email counts only if this user still has a row.
        execute format('with held as materialized (
                            select x.key, lower(x.address) as address from (%s) x where lower(x.address) = any ($4))
                        select array(select f.address from unnest($3) f (address)
                                      where lower(f.address) not in (
                                            select h.address from held h where h.key in (select r.%I::text from %I.%I r)))',
                       every, addresses.key, addresses.root ->> 'schema', addresses.root ->> 'table')
           into found using addresses.keys, false, found, array(select lower(f.address) from unnest(found) f (address));
    end if;
    return found;
end
$$;

-- Patterns for finding names in JSON. `written` has the names in lower case, with the escapes of a JSON string. `parts` has patterns for
-- LIKE, which exclude most texts quickly. `words` is a regular expression for the exact search. `numbers` has the numeric names: usher
-- searches for them only in members and columns that contain users, because a number in a text can mean anything.
create or replace function usher.needles(names text[], out numbers text[], out written text[], out parts text[], out words text)
language sql immutable set search_path = pg_catalog, pg_temp
as $$
    select array_agg(n.needle) filter (where n.is_number),
           array_agg(n.written) filter (where not n.is_number),
           array_agg('%' || regexp_replace(n.written, '([\\%_])', '\\\1', 'g') || '%') filter (where not n.is_number),
           '(?<![[:alnum:]._%+-])('
               || string_agg(regexp_replace(n.written, '([^[:alnum:]])', '\\\1', 'g'), '|') filter (where not n.is_number)
               || ')(?![[:alnum:]_-]|[.][[:alnum:]])'
      from (select n.needle, n.needle ~ '^-?[0-9]+([.][0-9]+)?$' as is_number, lower(substr(w.json, 2, length(w.json) - 2)) as written
              from unnest(needles.names) as n (needle)
             cross join lateral (select to_jsonb(n.needle)::text as json) w
             where n.needle <> '') n
$$;

-- Returns the changes of some operations in which a value contains one of the names, or a recorded user is one of them.
--
-- Comparing every name with every text would take too long. But a text that contains a name also contains the longest word of the name. So
-- the query splits each text into words, and compares the text only with the names whose longest word it contains. Up to 32 names, it first
-- compares every name with every text, which is faster than splitting all texts.
create or replace function usher.naming(operations uuid[], names text[]) returns table (operation uuid, ordinal integer)
language sql stable set search_path = pg_catalog, pg_temp set enable_nestloop = off
as $$
    with n as materialized (
        select p.parts[1] as part, p.words,
               (select w.word from regexp_split_to_table(p.written[1], '[^[:alnum:]_-]+') w (word)
                 order by length(w.word) desc limit 1) as word
          from (select distinct u.name from unnest(naming.names) u (name)) n
         cross join lateral usher.needles(array[n.name]) p
         where p.parts is not null),
    t as materialized (
        select c.operation, c.ordinal, lower(c.payload::text) as text
          from usher.change c
         where c.operation = any (naming.operations) and c.payload is not null
           and ((select count(*) from n) > 32 or lower(c.payload::text) like any (array(select n.part from n))))
    select distinct t.operation, t.ordinal
      from t
     cross join lateral regexp_split_to_table(t.text, '[^[:alnum:]_-]+') w (word)
      join n on n.word = w.word
     where t.text like n.part and t.text ~ n.words
     union
    -- The table of these users may have been renamed or dropped since the operation.
    select c.operation, c.ordinal
      from usher.change c
     cross join lateral jsonb_path_query(c.payload, '$.users.*') v (value)
     where c.operation = any (naming.operations) and v.value #>> '{}' in (select u.name from unnest(naming.names) u (name))
$$;

-- The data that the audit log keeps of an operation on several users if some of them are deleted. This is the number of users, and those of
-- the arguments, reason and ticket that name no user of the operation. The deletion records this data, because a sealed operation can be
-- erased but not changed. If usher doesn't know the emails of the users, it keeps no data.
--
-- Sequential scans are off, because the planner underestimates their cost: it ignores the TOAST pages of long arrays of keys.
create or replace function usher.remains(root text, place jsonb, key text, type text, keys text[]) returns jsonb
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
    select jsonb_object_agg(o.id, jsonb_build_object('target', cardinality(o.subjects) || ' users') || kept.members)
      from usher.operation o
     cross join lateral (select usher.addresses(remains.place, remains.key, remains.type, o.subjects, false) as addresses offset 0) a
     -- The target of a bulk change is its list of users; usher keeps their number.
     cross join lateral (
           select s.said, lower(s.said::text) as text
             from (select jsonb_strip_nulls(jsonb_build_object(
                       'arguments', o.payload -> 'arguments', 'reason', o.payload -> 'reason', 'ticket', o.payload -> 'ticket',
                       'target', case o.kind when 'bulk' then o.payload -> 'target' end)) as said) s
           offset 0) t
     -- Patterns are slow, so usher makes them only of names that the texts contain.
     cross join lateral usher.needles(array(select n.name from unnest(o.subjects || a.addresses) n (name)
                                             where strpos(t.text, lower(btrim(to_jsonb(n.name)::text, '"'))) > 0)) named
     cross join lateral (
           select coalesce(jsonb_object_agg(p.name, p.value), '{}') as members
             from jsonb_each(t.said) as p (name, value)
            where (lower(p.value::text) like any (named.parts) and lower(p.value::text) ~ named.words) is not true
              -- A number in the text may be the key of one of the users.
              and not exists (select from unnest(named.numbers) n (number) where p.value::text ~ ('(?<!\d)' || n.number || '(?!\d)'))) kept
     where o.root = remains.root and o.subjects && remains.keys and not o.subjects <@ remains.keys
       and o.payload is not null and o.parent is null and cardinality(a.addresses) > 0
$$;

-- The operations about some users of a table. `about` has all these operations; `alone` has only the operations without any other user.
-- `listing` has the steps of the deletion itself, and bulk changes that list one of the users. Attempts record neither the table of users nor
-- the digest of the app file; if `names` are given, attempts that contain one of these names also count.
create or replace function usher.operations_about(
    root text, keys text[], names text[], operation uuid, deletion uuid, out about uuid[], out alone uuid[], out listing uuid[]
)
language sql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
    select coalesce(array_agg(o.id) filter (where o.named is not null), '{}'),
           coalesce(array_agg(o.id) filter (where o.named <@ operations_about.keys), '{}'),
           coalesce(array_agg(o.id) filter (where o.named is null), '{}')
      from (select o.id, o.subjects
              from usher.operation o
             where o.root = operations_about.root and o.subjects && operations_about.keys
               and (operations_about.deletion is null
                    or o.id <> operations_about.deletion and o.parent is distinct from operations_about.deletion)
             union all
            select o.id, array(select jsonb_array_elements_text(
                                      case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' else '[]' end))
              from usher.operation o
             where operations_about.names is not null and o.root is null and o.app_digest is null
               and o.kind <> 'install' and o.parent is null
               and (o.payload -> 'users' ?| operations_about.keys
                    or lower(o.payload ->> 'target') in (select lower(n.needle) from unnest(operations_about.names) as n (needle)))
             union all
            select o.id, null from usher.operation o where o.id = operations_about.deletion or o.parent = operations_about.deletion
             union all
            select o.id, null
              from usher.operation o
             where o.root = operations_about.root
               and o.id in (select s.operation from usher.subject s where s.key = any (operations_about.keys))) o (id, named)
     where o.id <> operations_about.operation
$$;

-- Erases the records about some users from the audit log: the payloads and salts of operations and changes, the notes, and the keys in
-- lists of users. If an operation is also about other users, usher erases only the changes that contain one of the deleted users. Of the
-- deletion itself, usher erases only the steps that contain one of the users. An attempt doesn't record its table of users. With `tried`,
-- usher also erases the payloads of attempts that contain one of the users.
--
-- usher reads the emails of the users only if a record could contain them. It doesn't erase records because of an email that another user
-- also has.
--
-- Sequential scans are off, because the planner underestimates their cost: it ignores the TOAST pages of long arrays of keys.
create or replace function usher.empty(
    operation uuid, deletion uuid, root text, place jsonb, key text, type text, keys text[], tried boolean
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    names text[];
    needles record;
    found record;
    shared uuid[];
    operations bigint := 0;
    changes bigint := 0;
begin
    if empty.tried and exists (select from usher.operation o
                                where o.root is null and o.app_digest is null and o.kind <> 'install' and o.parent is null
                                  and o.payload ?| '{users,target}') then
        names := empty.keys || usher.addresses(empty.place, empty.key, empty.type, empty.keys, true);
    end if;
    select * into found from usher.operations_about(empty.root, empty.keys, names, empty.operation, empty.deletion);
    -- Most users have no operation in the audit log, and so no note, request or subject.
    if cardinality(found.about || found.listing) = 0 then return 0; end if;
    shared := array(select a.id from unnest(found.about) a (id) where a.id <> all (found.alone));
    names := coalesce(names, empty.keys || usher.addresses(empty.place, empty.key, empty.type, empty.keys, true));
    select * into needles from usher.needles(names);
    -- The patterns are in subselects, so that the planner doesn't estimate the selectivity of each pattern.
    update usher.operation o
       set salt = null, payload = null, erased = empty.operation
     where o.id = any (found.about || found.listing) and o.payload is not null
       and (o.id = any (found.about)
            or lower(o.payload::text) like any (array(select unnest(needles.parts))) and lower(o.payload::text) ~ (select needles.words));
    get diagnostics operations = row_count;
    update usher.change c
       set salt = null, payload = null, erased = empty.operation
     where c.operation = any (found.about) and c.payload is not null
       and (c.operation = any (found.alone)
            or (c.operation, c.ordinal) in (
                   select n.operation, n.ordinal from usher.naming(shared, names) n
                    union all
                   select u.operation, u.ordinal
                     from usher.changes_of_users(shared, empty.place || jsonb_build_object('key', empty.key), empty.keys, empty.type) u
                    where u.mentioned is not null));
    get diagnostics changes = row_count;
    delete from usher.note n where n.root = empty.root and n.key = any (empty.keys);
    -- Nobody can answer a request with an erased payload, so the deletion counts as its answer.
    update usher.request r
       set answer = empty.operation
      from usher.operation o
     where o.id = r.operation and r.answer is null and o.erased = empty.operation;
    update usher.subject s
       set salt = null, key = null, erased = empty.operation
      from usher.operation o
     where s.key = any (empty.keys) and o.id = s.operation and o.root = empty.root;
    update usher.operation o
       set subjects = array(select s.key from unnest(o.subjects) with ordinality as s (key, place)
                             where s.key <> all (empty.keys) and o.id is distinct from empty.deletion order by s.place)
     where o.root = empty.root and o.subjects && empty.keys or o.id = empty.deletion;
    return operations + changes;
end
$$;
