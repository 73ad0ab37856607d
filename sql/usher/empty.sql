-- Empties what the ledger remembers of people, by their root and keys: payload and salt of the operations that were about
-- them, and their changes. Of operations about several people the changes that speak of them; of the deletion itself what
-- speaks of them. An attempt has no root: its payload names the users, and it counts where that can mean no other table (`tried`).
--
-- What else the people are called is read in the rows of the root ({"schema", "table"}, by a column of a type) only where
-- something may be about them by that. An address that another user has as well is nobody's alone, and empties nothing.
--
-- Whom an operation was about is told by index: the planner counts no page of the long lists of keys.
create or replace function usher.empty(
    operation uuid, deletion uuid, root text, place jsonb, key text, type text, keys text[], tried boolean
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    addresses text[];
    has_attempts constant boolean := empty.tried and exists (
        select from usher.operation o
         where o.root is null and o.kind <> 'install' and o.payload ?| '{users,user,target}');
    numbers text[];
    parts text[];
    words text;
    places jsonb;
    about uuid[];
    alone uuid[];
    besides uuid[];
    operations bigint := 0;
    changes bigint := 0;
begin
    if has_attempts then addresses := usher.addresses(empty.place, empty.key, empty.type, empty.keys, true); end if;
    select coalesce(array_agg(a.id), '{}'), coalesce(array_agg(a.id) filter (where a.named <@ empty.keys), '{}')
      into about, alone
      from (select o.id, o.subjects as named
              from usher.operation o
             where o.root = empty.root and o.subjects && empty.keys
               and o.id <> empty.operation
               and (empty.deletion is null or o.id <> empty.deletion and o.parent is distinct from empty.deletion)
             union all
            select o.id, array(select u.key from jsonb_array_elements_text(
                                      case jsonb_typeof(o.payload -> 'users') when 'array' then o.payload -> 'users' else '[]' end)
                                      as u (key))
              from usher.operation o
             where has_attempts and o.root is null
               and (o.payload -> 'users' ?| empty.keys or o.payload ->> 'user' = any (empty.keys)
                    or lower(o.payload ->> 'target') in (
                           select lower(n.needle) from unnest(empty.keys || addresses) as n (needle)))
           ) a;
    -- The deletion itself, and changes of so many that they name nobody in particular.
    select coalesce(array_agg(a.id), '{}')
      into besides
      from (select o.id from usher.operation o where o.id = empty.deletion or o.parent = empty.deletion
             union
            select o.id
              from usher.operation o
             where o.root = empty.root
               and o.id in (select s.operation from usher.subject s where s.key = any (empty.keys))) a
     where a.id <> empty.operation;
    -- Most people are in no operation, and then there is nothing to look through.
    if cardinality(about || besides) > 0 then
        addresses := coalesce(addresses, usher.addresses(empty.place, empty.key, empty.type, empty.keys, true));
        select n.* into numbers, parts, words from usher.needles(empty.keys || addresses) n;
        -- A change of a row says by the key of the root, and by what refers to it, whose that row was.
        with recursive tables (oid) as (
            select to_regclass(quote_ident(empty.place ->> 'schema') || '.' || quote_ident(empty.place ->> 'table'))::oid
             union
            select i.inhrelid from tables t join pg_inherits i on i.inhparent = t.oid
        )
        select jsonb_object_agg(p.name, p.columns) into places
          from (select n.nspname || '.' || c.relname as name, jsonb_agg(distinct r.name) as columns
                  from (select t.oid, empty.key as name from tables t
                         union all
                        select f.conrelid, a.attname
                          from tables t
                          join pg_constraint f on f.confrelid = t.oid and f.contype = 'f'
                         cross join lateral unnest(f.conkey, f.confkey) as k (own, other)
                          join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.own
                          join pg_attribute o on o.attrelid = f.confrelid and o.attnum = k.other and o.attname = empty.key) r
                  join pg_class c on c.oid = r.oid
                  join pg_namespace n on n.oid = c.relnamespace
                 group by 1) p;
        -- They stand in selects of their own, so that nobody estimates how often each of many words might be found.
        update usher.operation o
           set salt = null, payload = null, erased = empty.operation
         where o.id = any (about || besides) and o.payload is not null
           and (o.id = any (about)
                or lower(o.payload::text) like any (array(select unnest(parts))) and lower(o.payload::text) ~ (select words));
        get diagnostics operations = row_count;
        update usher.change c
           set salt = null, payload = null, erased = empty.operation
         where c.operation = any (about) and c.payload is not null
           and (c.operation = any (alone)
                or (c.operation, c.ordinal) in (
                       select n.operation, n.ordinal
                         from usher.naming(array(select a.id from unnest(about) a (id) where a.id <> all (alone)), empty.keys || addresses) n)
                or c.payload ->> 'user' = any (numbers)
                or exists (select from jsonb_array_elements_text(places -> (c.payload ->> 'table')) as p (name),
                                       unnest(array['key', 'before', 'after']) as s (side)
                            where c.payload -> s.side ->> p.name = any (empty.keys)));
        get diagnostics changes = row_count;
    end if;
    delete from usher.note n where n.root = empty.root and n.key = any (empty.keys);
    -- What nobody can read any more nobody answers.
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
