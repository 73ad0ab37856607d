-- What the ledger keeps of an act besides its changes: to whom, with what, and why. Users go by what people call them.
create or replace function usher.said(
    app jsonb, act jsonb, environment text, keys text[], at timestamptz, arguments jsonb, request jsonb
) returns jsonb
language sql volatile
as $$
    select jsonb_build_object(
        'target', coalesce(nullif(usher.labelled(app, act, said.keys, said.at), ''),
                           nullif(concat_ws(' ', said.arguments ->> 'key', act ->> 'column'), '')),
        'users', case when act ->> 'subject' = 'users' then to_jsonb(said.keys) end,
        -- As many as are locked when it is taken back.
        'objects', case when act ->> 'subject' = 'object' and cardinality(said.keys) between 1 and 100 then to_jsonb(said.keys) end,
        'arguments', nullif(shown.arguments, '{}'),
        'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', environment,
        'final', case when (act ->> 'final')::boolean then true end)
      from (select coalesce(jsonb_object_agg(
                       a.key, coalesce(case when p.of ->> 'names' = 'users' and a.value <> 'null'
                                            then to_jsonb(usher.labelled(app, '{"subject": "users"}', array[a.value #>> '{}'], said.at)) end,
                                       a.value)) filter (where a.value <> 'null'), '{}') as arguments
              from jsonb_each(said.arguments) a
              left join jsonb_array_elements(act -> 'parameters') as p (of) on p.of ->> 'name' = a.key
             where (p.of ->> 'secret')::boolean is not true) shown
$$;
