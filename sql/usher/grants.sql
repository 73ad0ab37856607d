-- Exactly who may do what. Nobody writes the tables, whatever default privileges say; functions are nobody's until they
-- are granted; each role gets what it needs, where it exists. The salt is for nobody: without it a digest says nothing
-- about what was erased.
do $$
declare
    grantee text;
    operator text;
begin
    for grantee in
        select distinct case a.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) end
          from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
         where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind = 'r' and a.grantee <> c.relowner
    loop
        execute 'revoke insert, update, delete, truncate, references, trigger on all tables in schema usher from ' || grantee;
    end loop;
    revoke all on all functions in schema usher from public;
    grant execute on function usher.version() to public;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer')
    loop
        execute pg_catalog.format(
            'grant select (id, at, operator, transaction, kind, outcome, command, app, parent, undoes, digest, payload, erased)
                 on usher.operation to %1$I', operator);
        execute pg_catalog.format(
            'grant select (operation, ordinal, digest, payload, erased) on usher.change to %1$I', operator);
        execute pg_catalog.format('grant select on usher.seal, usher.sealed to %1$I', operator);
        execute pg_catalog.format(
            'grant execute on function
                 usher.record(uuid, text, text, text, text, uuid, uuid, jsonb),
                 usher.record_changes(uuid, integer, jsonb[]),
                 usher.seal(), usher.outcome(uuid), usher.verify(text), usher.tally() to %1$I', operator);
    end loop;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_admin') then
        grant execute on function usher.forget(uuid, text[]) to usher_admin;
    end if;
end
$$;
