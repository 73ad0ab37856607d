-- Refuses where row security would quietly keep rows from the statements. An INSERT is kept from none quietly: it fails, also where
-- it would update a row that is there.
create or replace function usher.refuse_hidden(targets jsonb) returns void
language plpgsql stable
as $$
declare
    names text;
begin
    select string_agg(distinct n.nspname || '.' || c.relname, ', ') into names
      from jsonb_to_recordset(refuse_hidden.targets) as w (schema text, name text, verb text)
      join pg_namespace n on n.nspname = w.schema
      join pg_class c on c.relnamespace = n.oid and c.relname = w.name
     where w.verb is distinct from 'insert' and row_security_active(c.oid)
       and (not exists (select from pg_policy p
                         where p.polrelid = c.oid and p.polpermissive and p.polcmd in ('w', '*')
                           and pg_get_expr(p.polqual, p.polrelid) = 'true'
                           and (0 = any (p.polroles)
                                or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage'))))
            or exists (select from pg_policy p
                        where p.polrelid = c.oid and not p.polpermissive and p.polcmd in ('w', 'd', '*')
                          and (0 = any (p.polroles)
                               or exists (select from unnest(p.polroles) role where pg_has_role(role, 'usage')))));
    if names is not null then
        raise exception 'hidden by row security: % may not change every row of %', current_user, names
              using errcode = 'US005', detail = jsonb_build_object('refusal', 'hidden', 'user', current_user, 'tables', names)::text;
    end if;
end
$$;
