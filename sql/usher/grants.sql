-- Functions are nobody's until they are granted; each role gets what it needs, where it exists. The salt is for nobody:
-- without it a digest says nothing about what was erased.
do $$
declare
    operator text;
begin
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
