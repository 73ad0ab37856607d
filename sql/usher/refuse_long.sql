-- Refuses what is recorded of a request if it is too long, in characters, or not a text.
create or replace function usher.refuse_long(request jsonb) returns void
language plpgsql stable
as $$
declare
    limits constant jsonb := '{"reason": 2000, "ticket": 200, "arguments": 262144}';
    part record;
begin
    for part in
        select l.name, l.most::integer as most, jsonb_typeof(request -> l.name) as type,
               char_length(request ->> l.name) as length
          from jsonb_each_text(limits) l (name, most)
         where jsonb_typeof(request -> l.name) <> 'null'
    loop
        if part.type <> (case part.name when 'arguments' then 'object' else 'string' end) then
            raise exception '% is not a text', part.name using errcode = 'US002',
                  detail = jsonb_build_object('refusal', 'no_text', 'name', part.name)::text;
        end if;
        if part.length > part.most then
            raise exception '% may have % characters at most, and % were given', part.name, part.most, part.length using errcode = 'US003',
                  detail = jsonb_build_object('refusal', 'too_long', 'name', part.name, 'most', part.most, 'length', part.length)::text;
        end if;
    end loop;
end
$$;
