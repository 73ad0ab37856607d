-- Sets the rights on the schema usher. The script first revokes all rights, including those from default privileges. Then it grants each
-- existing role the rights that it needs. No role can write the tables. Only auditors can read salts: without its salt, a digest reveals
-- nothing about an erased record.
do $$
declare
    grantee text;
    operator text;
begin
    for grantee in
        select distinct case g.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(g.grantee)) end
          from (select a.grantee, c.relowner as owner
                  from pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a
                 where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind in ('r', 'S')
                 union
                select a.grantee, c.relowner
                  from pg_catalog.pg_class c, pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) a
                 where c.relnamespace = 'usher'::pg_catalog.regnamespace and c.relkind = 'r' and t.attrelid = c.oid
                 union
                select a.grantee, p.proowner
                  from pg_catalog.pg_proc p, pg_catalog.aclexplode(p.proacl) a
                 where p.pronamespace = 'usher'::pg_catalog.regnamespace
                 union
                select 0, 0) g
         where g.grantee <> g.owner or g.grantee = 0
    loop
        execute 'revoke all on all tables in schema usher from ' || grantee;
        execute 'revoke all on all sequences in schema usher from ' || grantee;
        execute 'revoke all on all functions in schema usher from ' || grantee;
    end loop;
    grant select on usher.environment to public;
    grant execute on function usher.version() to public;
    for operator in
        select r.rolname from pg_catalog.pg_roles r
         where r.rolname in ('usher_support', 'usher_admin', 'usher_engineer', 'usher_eraser', 'usher_auditor')
    loop
        execute pg_catalog.format(
            'grant select (id, at, operator, transaction, kind, outcome, command, app, parent, undoes, digest, payload, erased,
                           app_digest, request, root, subjects, last)
                 on usher.operation to %1$I', operator);
        execute pg_catalog.format(
            'grant select (operation, ordinal, digest, payload, erased) on usher.change to %1$I', operator);
        execute pg_catalog.format('grant select (operation, root, standing, gone, back) on usher.erasure to %1$I', operator);
        execute pg_catalog.format('grant select (operation, ordinal, key, erased, digest) on usher.subject to %1$I', operator);
        execute pg_catalog.format('grant select on usher.act, usher.seal, usher.sealed, usher.request, usher.note to %1$I', operator);
        execute pg_catalog.format('grant execute on function usher.seal(), usher.outcome(uuid), usher.open_path() to %1$I', operator);
        if operator <> 'usher_auditor' then
            execute pg_catalog.format(
                'grant execute on function usher.attempt(uuid, text, text, text, text, jsonb), usher.advance_clock() to %1$I', operator);
        end if;
        if operator in ('usher_support', 'usher_admin', 'usher_engineer') then
            execute pg_catalog.format(
                'grant execute on function usher.run(jsonb), usher.undo(jsonb), usher.begin(jsonb), usher.batch(jsonb), usher.ask(jsonb),
                                           usher.answer(jsonb), usher.note(jsonb), usher.call(text, jsonb) to %1$I', operator);
        end if;
    end loop;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_eraser') then
        grant execute on function usher.erase(jsonb), usher.record_deletion_step(jsonb), usher.restore(jsonb), usher.refuse_root(usher.erasure), usher.answer(jsonb),
                                  usher.call(text, jsonb), usher.counted_as(oid), usher.key_numbers(oid), usher.counted_by_all(jsonb)
                         to usher_eraser;
        if pg_catalog.to_regprocedure('usher.server_clauses()') is not null then
            grant execute on function usher.server_clauses() to usher_eraser;
        end if;
    end if;
    if exists (select from pg_catalog.pg_roles r where r.rolname = 'usher_auditor') then
        grant select on all tables in schema usher to usher_auditor;
        -- With the salt, an auditor could find the key of a deleted user by trying keys until the digest matches.
        revoke select on usher.erasure from usher_auditor;
        grant select (operation, root, "column", type, equals, keys, standing, gone, round, asks, at_once, back, by_operator)
              on usher.erasure to usher_auditor;
    end if;
end
$$;
