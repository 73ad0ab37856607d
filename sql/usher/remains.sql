-- What stays of acts on several people where some of them are forgotten: how many they were, why it was done and with what, as far
-- as that names none of them. It is taken down with the deletion, since what was sealed can be emptied and not changed.
--
-- Where nobody knows what else they are called, nothing stays.
--
-- Whom an operation was about is told by index: the planner counts no page of the long lists of keys.
create or replace function usher.remains(root text, place jsonb, key text, type text, keys text[]) returns jsonb
language plpgsql stable set search_path = pg_catalog, pg_temp set enable_seqscan = off
as $$
declare
    act record;
    addresses text[];
    named record;
    found jsonb := '{}';
begin
    for act in
        select o.id, o.kind, o.subjects, o.payload
          from usher.operation o
         where o.root = remains.root and o.subjects && remains.keys and not o.subjects <@ remains.keys
           and o.payload is not null and o.parent is null
    loop
        addresses := usher.addresses(remains.place, remains.key, remains.type, act.subjects, false);
        if cardinality(addresses) = 0 then continue; end if;
        select n.* into named from usher.needles(act.subjects || addresses) n;
        found := found || jsonb_build_object(act.id, jsonb_build_object('target', cardinality(act.subjects) || ' users') || (
            select coalesce(jsonb_object_agg(p.name, p.value), '{}')
              from jsonb_each(act.payload) as p (name, value)
             -- A list of accounts is said by their number already.
             where (p.name in ('arguments', 'reason', 'ticket') or p.name = 'target' and act.kind = 'bulk')
               and (lower(p.value::text) like any (named.parts) and lower(p.value::text) ~ named.words) is not true
               -- Nobody knows which number means one of them.
               and not exists (select from unnest(named.numbers) n (number) where p.value::text ~ ('(?<!\d)' || n.number || '(?!\d)'))));
    end loop;
    return nullif(found, '{}');
end
$$;
