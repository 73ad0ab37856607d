-- Empties what the ledger remembers of somebody: payload and salt of every operation and change that speaks of one of
-- these ids or addresses, as a word of its own, in any letter case. A bare number means many things, and counts only
-- where it stands for a user. The operation that erases was recorded by this very transaction, and is not touched.
create or replace function usher.forget(operation uuid, needles text[]) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    numbers text[];
    parts text[];
    words text;
    operations bigint;
    changes bigint;
begin
    perform from usher.operation o
      where o.id = forget.operation and o.kind in ('erasure', 'forget') and o.transaction = pg_current_xact_id();
    if not found then
        raise exception 'operation % is no erasure that this transaction recorded', forget.operation
              using errcode = 'insufficient_privilege';
    end if;
    -- Words as JSON writes them: as a pattern for LIKE, which settles nearly all, and for the precise search.
    select array_agg(n.needle) filter (where n.is_number),
           array_agg('%' || regexp_replace(n.written, '([\\%_])', '\\\1', 'g') || '%') filter (where not n.is_number),
           '(?<![[:alnum:]._%+-])('
               || string_agg(regexp_replace(n.written, '([^[:alnum:]])', '\\\1', 'g'), '|') filter (where not n.is_number)
               || ')(?![[:alnum:]_-]|[.][[:alnum:]])'
      into numbers, parts, words
      from (select n.needle, n.needle ~ '^[0-9]{1,18}$' as is_number, lower(substr(n.json, 2, length(n.json) - 2)) as written
              from (select n.needle, to_jsonb(n.needle)::text as json from unnest(needles) as n (needle)) n
             where n.needle <> '') n;
    update usher.operation o
       set salt = null, payload = null, erased = forget.operation
     where o.id <> forget.operation
       and (lower(o.payload::text) like any (parts) and lower(o.payload::text) ~ words
            or o.payload ->> 'user' = any (numbers) or o.payload ->> 'target' = any (numbers)
            or o.payload -> 'users' ?| numbers);
    get diagnostics operations = row_count;
    update usher.change c
       set salt = null, payload = null, erased = forget.operation
     where c.operation <> forget.operation
       and (lower(c.payload::text) like any (parts) and lower(c.payload::text) ~ words
            or c.payload ->> 'user' = any (numbers));
    get diagnostics changes = row_count;
    return operations + changes;
end
$$;
