-- Takes down a part of a deletion: numbers, on the word of the caller. {"part", "operation", "parent", "app", and what to take
-- down}, where a part is
--   begin     a deletion in batches begins: also "root" and "keys", by which the next run finds it,
--   batch     some rows went,
--   end       it is over: "outcome"; committed only in the transaction that deletes the root,
--   archive   what went was written to a file,
--   files     what a store has to remove, until
--   removed   the store removed it: "list" says which list can be forgotten.
create or replace function usher.part(request jsonb) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    part constant text := request ->> 'part';
    own constant uuid := request ->> 'operation';
    deletion constant uuid := request ->> 'parent';
    list constant uuid := request ->> 'list';
    outcome constant text := coalesce(request ->> 'outcome', 'committed');
    root record;
    keys text[];
    is_of_deletion constant boolean := exists (
        select from usher.operation o
         where o.id = deletion and o.parent is null and o.outcome = 'committed'
           and (o.kind = 'erasure' or o.kind = 'bulk' and o.command = 'account delete'));
    is_open constant boolean := is_of_deletion and exists (
        select from usher.operation o
         where (o.id = deletion or o.parent = deletion) and o.kind = 'erasure' and o.transaction = pg_current_xact_id());
begin
    perform usher.refuse_forbidden('usher_eraser', 'account delete');
    if part <> 'begin' and not is_of_deletion then
        raise exception 'operation % is no deletion', deletion using errcode = 'insufficient_privilege';
    end if;
    if part <> 'end' and outcome <> 'committed'
       or part = 'end' and outcome not in ('partial', 'refused', 'failed') and (outcome <> 'committed' or not is_open) then
        raise exception 'a part of the kind % has no outcome % here', part, outcome
              using errcode = 'insufficient_privilege';
    end if;
    case part
        when 'begin' then
            select r.* into root from usher.account_root(request -> 'root', request ->> 'app') r;
            keys := usher.keys(request -> 'keys', root.given_type);
            perform usher.refuse_nobody(keys);
            perform usher.take_down(
                own, 'bulk', outcome, 'account delete', request, root := root.name,
                subjects := keys, extra := '{"final": true}');
        when 'batch' then
            perform usher.take_down(own, 'batch', outcome, 'account delete', request, deletion);
        when 'end' then
            perform usher.take_down(own, 'end', outcome, 'account delete', request, deletion);
        when 'archive', 'files' then
            -- The deletion is what writes them.
            if not is_open then
                raise exception 'no deletion of % is open in this transaction', deletion
                      using errcode = 'insufficient_privilege';
            end if;
            perform usher.take_down(
                own, 'batch', outcome,
                case part when 'archive' then 'account delete archive' else 'account delete files' end, request, deletion);
        when 'removed' then
            perform usher.take_down(own, 'forget', outcome, 'account delete files', request, deletion);
            update usher.operation o
               set salt = null, payload = null, erased = own
             where o.id = list and o.parent = deletion and o.kind = 'batch' and o.command = 'account delete files'
               and o.payload is not null;
        else
            raise exception 'there is no part of the kind %', part using errcode = 'invalid_parameter_value';
    end case;
end
$$;
