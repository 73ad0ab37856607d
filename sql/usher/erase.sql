-- Opens the deletion of accounts, as the first thing that its transaction writes: takes down who deletes, where and why,
-- and empties what the ledger remembers of the people. Whom it forgets it reads in the rows that are about to go, and the
-- transaction cannot be committed unless they went.
--
-- {"operation", "parent", "app", "root": {"schema", "table", "key"}, "keys", and what to take down}; says how many
-- operations and changes are emptied, how many of the rows stand, and by which claim they are restored, for the archive alone:
-- here only its digest stays; or nothing but the locks that somebody else holds.
create or replace function usher.erase(
    request jsonb, out emptied bigint, out standing bigint, out locks bigint[], out claim jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    remains jsonb;
    id constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    root record;
    given text[];
    -- The keys that were asked for, and those that the audit log forgets.
    keys text[];
    forgotten text[];
    asked uuid;
begin
    perform usher.refuse_forbidden('usher_eraser', 'account delete');
    perform usher.refuse_written();
    if deletion is not null and not exists (
           select from usher.operation o where o.id = deletion and o.kind = 'bulk' and o.command = 'account delete') then
        raise exception 'operation % is no deletion in batches', deletion using errcode = 'insufficient_privilege';
    end if;
    select r.* into root from usher.account_root(request -> 'root', request ->> 'app') r;
    given := usher.keys(request -> 'keys', root.given_type);
    perform usher.refuse_nobody(given);
    -- As the ledger writes them, from the rows themselves.
    execute format('select coalesce(array_agg(distinct t.%I::%s::text), ''{}''), count(*) from %s t where t.%I %s any ($1::%s[])',
                   root.key, root.key_type, root.name, root.given, root.given_equals, root.given_type)
       into keys, standing using given;
    claim := jsonb_build_object(
        'deletion', id, 'keys', to_jsonb(keys), 'secret', gen_random_uuid(),
        'root', jsonb_build_object('schema', request #> '{root,schema}', 'table', request #> '{root,table}', 'key', root.key));
    forgotten := keys;
    if root.given = root.key then
        -- If a row is gone, its key is forgotten only if its deletion is on record and nothing about the key since, or if the
        -- owner asks.
        keys := array(select k.key from unnest(keys || given) as k (key) group by 1 order by 1);
        if standing < cardinality(given) and current_setting('transaction_isolation') <> 'read committed' then
            perform usher.refuse_stale(transaction_timestamp());
        end if;
        forgotten := array(
            select k.key from unnest(keys) as k (key)
             where k.key = any (forgotten) or usher.may(null)
                or exists (select from usher.erasure e
                             join usher.operation d on d.id = e.operation
                            where e.root = root.name and e.gone and sha256(e.salt || convert_to(k.key, 'UTF8')) = any (e.deleted)
                              and not exists (select from usher.operation o
                                               where o.at > d.at and (o.undoes = d.id or o.root = root.name and o.subjects @> array[k.key])))
             order by 1);
    elsif standing < cardinality(given) then
        raise exception '% of % rows of % are gone, and nobody knows their %',
              cardinality(given) - standing, cardinality(given), root.name, root.key using errcode = 'no_data_found';
    end if;
    -- Whoever acts on them holds the same.
    locks := usher.locks(null, request -> 'root', '{"subject": "users"}', keys);
    if not usher.holds(locks) then
        claim := null;
        return;
    end if;
    locks := '{}';
    -- Whoever asked for this has the answer.
    select r.operation into asked
      from usher.request r
      join usher.operation o on o.id = r.operation
     where r.answer is null and o.root = root.name and o.payload -> 'asks' ->> 'kind' = 'deletion' and o.subjects <@ forgotten
     order by o.at
     limit 1;
    -- Of whom is gone already nobody knows any more what else they were called.
    if standing = cardinality(given) then
        remains := usher.remains(root.name, request -> 'root', root.key, root.key_type, forgotten);
    end if;
    perform usher.take_down(
        id, 'erasure', 'committed', 'account delete', request, parent := deletion, root := root.name, answers := asked,
        extra := jsonb_strip_nulls(jsonb_build_object('final', true, 'claim', usher.claimed(claim), 'remains', remains)));
    emptied := usher.empty(
        id, deletion, root.name, request -> 'root', root.key, root.key_type, forgotten,
        root.is_declared or not exists (select from usher.act a where a.kind = 'app'));
    -- Only the owner can compute the digests.
    insert into usher.erasure (operation, root, "column", type, equals, keys, standing, by_operator, salt, deleted)
    select id, root.name, root.key, root.key_type, root.key_equals, keys, erase.standing, usher.is_distributed(root.relation), s.salt,
           array(select sha256(s.salt || convert_to(k.key, 'UTF8')) from jsonb_array_elements_text(claim -> 'keys') as k (key))
      from (select coalesce((select e.salt from usher.erasure e where e.root = root.name and e.salt is not null limit 1),
                            uuid_send(gen_random_uuid())) as salt) s;
end
$$;
