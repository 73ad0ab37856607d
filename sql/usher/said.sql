-- What the ledger keeps of an act besides its changes: to whom, with what, and why.
create or replace function usher.said(
    app jsonb, act jsonb, environment text, keys text[], at timestamptz, arguments jsonb, request jsonb
) returns jsonb
language sql volatile
as $$
    select jsonb_build_object(
        'target', coalesce(usher.labelled(app, act, said.keys, said.at),
                           nullif(concat_ws(' ', said.arguments ->> 'key', case when act ->> 'column' is not null then act ->> 'column' end), '')),
        'users', case when act ->> 'subject' = 'users' then to_jsonb(said.keys) end,
        'arguments', nullif(shown.arguments, '{}'),
        'reason', request -> 'reason', 'ticket', request -> 'ticket', 'environment', environment,
        'final', case when (act ->> 'final')::boolean then true end)
      from (select coalesce(jsonb_object_agg(a.key, a.value) filter (where a.value <> 'null'), '{}') as arguments
              from jsonb_each(said.arguments) a
             where not exists (select from jsonb_array_elements(act -> 'parameters') p
                                where p.value ->> 'name' = a.key and (p.value ->> 'secret')::boolean)) shown
$$;
