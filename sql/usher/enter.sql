-- Writes one operation, with the rows that it changed, as the answer to a request if it is one. Who, when and in which transaction are nobody's to say.
create or replace function usher.enter(
    id uuid, kind text, outcome text, command text, app text, app_digest bytea, parent uuid, undoes uuid, root text,
    subjects text[], payload jsonb, changes jsonb default '[]', request uuid default null
) returns void
language plpgsql volatile
as $$
declare
    salt constant bytea := uuid_send(gen_random_uuid());
    salts constant bytea := usher.salts(jsonb_array_length(enter.changes));
    -- Whom it concerns besides those to whom it is done: mostly nobody.
    others constant text[] := case when enter.payload -> 'users' = to_jsonb(enter.subjects) then '{}'
                                   when jsonb_typeof(enter.payload -> 'users') = 'array' then array(
        -- They are hashed once; a list of JSON would be read to its end for each of them.
        select s.key from unnest(enter.subjects) with ordinality as s (key, place)
         where s.key not in (select u.key from jsonb_array_elements_text(enter.payload -> 'users') u (key) where u.key is not null)
         order by s.place) else '{}' end;
    said constant jsonb := jsonb_strip_nulls(
        enter.payload || jsonb_build_object('others', case when others <> '{}' then to_jsonb(others) end));
begin
    -- A seal is made of these in UTF-8: text that can't be converted would end all sealing.
    perform convert_to(concat(enter.command, enter.app), 'UTF8');
    -- No default of a column has a say in it.
    insert into usher.operation (id, at, operator, transaction, kind, outcome, command, app, app_digest, parent, undoes, request, root, subjects,
                                 digest, salt, payload)
    values (enter.id, clock_timestamp(), session_user, pg_current_xact_id(), enter.kind, enter.outcome, enter.command, enter.app, enter.app_digest, enter.parent, enter.undoes, enter.request,
            enter.root, enter.subjects, sha256(salt || convert_to(said::text, 'UTF8')), salt, said);
    insert into usher.change (operation, ordinal, digest, salt, payload)
    select enter.id, c.ordinal, sha256(c.salt || convert_to(c.payload::text, 'UTF8')), c.salt, c.payload
      from (select (r.place - 1)::integer as ordinal,
                   substr(salts, (r.place * 16 - 15)::integer, 16) as salt,
                   jsonb_build_object('table', r.value -> 'table', 'key', r.value -> 'key', 'before', r.value -> 'before',
                                      'after', r.value -> 'after')
                   || case when r.value ->> 'kind' <> 'insert' and r.value -> 'secrets' <> '[]'
                           then jsonb_build_object('secrets', r.value -> 'secrets') else '{}' end as payload
              from jsonb_array_elements(enter.changes) with ordinality as r (value, place)
            offset 0) c;
    if enter.request is not null then
        update usher.request r set answer = enter.id where r.operation = enter.request;
    end if;
end
$$;
