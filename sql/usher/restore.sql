-- Opens the restoration of accounts, as the first thing that its transaction writes: takes down who restores, where and why, and
-- which deletion that undoes. It is the one whose claim is held, which that handed over for its archive; and the transaction
-- cannot be committed unless the rows came back that the claim is about. No deletion is undone twice, whatever became of the
-- rows since.
--
-- {"operation", "app", "claim", and what to take down}; says nothing but the locks that somebody else holds.
create or replace function usher.restore(request jsonb) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, pg_temp set row_security = off
as $$
declare
    id constant uuid := request ->> 'operation';
    claim constant jsonb := request -> 'claim';
    deletion usher.operation;
    root record;
    keys text[];
    locks bigint[];
    standing bigint;
    restoring uuid;
begin
    perform usher.refuse_forbidden('usher_eraser', 'account restore');
    perform usher.refuse_written();
    -- What was deleted elsewhere is on record there, and comes back there.
    select o.* into deletion from usher.operation o where o.id = (claim ->> 'deletion')::uuid;
    if (deletion.kind, deletion.outcome, deletion.payload ->> 'claim')
       is distinct from ('erasure', 'committed', usher.claimed(claim)) then
        raise exception 'this is no claim to what operation % deleted here', claim ->> 'deletion' using errcode = 'insufficient_privilege';
    end if;
    select r.* into root from usher.account_root(claim -> 'root', request ->> 'app') r;
    keys := usher.keys(claim -> 'keys', root.given_type);
    perform usher.refuse_nobody(keys);
    locks := usher.locks(null, claim -> 'root', '{"subject": "users"}', keys);
    if not usher.holds(locks) then return locks; end if;
    select u.id into restoring from usher.operation u where u.undoes = deletion.id limit 1;
    if restoring is not null then
        raise exception 'it was restored already, by %', restoring using errcode = 'US006',
              detail = jsonb_build_object('refusal', 'restored', 'by', restoring)::text;
    end if;
    execute format('select count(*) from %s t where t.%I %s any ($1::%s[])',
                   root.name, root.given, root.given_equals, root.given_type)
       into standing using keys;
    perform usher.take_down(
        id, 'restore', 'committed', 'account restore', request, undoes := deletion.id, root := root.name,
        extra := jsonb_build_object('final', true, 'target', 'an archive', 'claim', usher.claimed(claim)));
    insert into usher.erasure (operation, root, "column", type, equals, keys, standing, back, by_operator)
    values (id, root.name, root.given, root.given_type, root.given_equals, keys, standing, false, usher.is_distributed(root.relation));
    return '{}';
end
$$;
