-- What has to be the same when an act runs again: what its statements write over, what is decided before and after, and what
-- is said against whom; nothing that moves by itself. The salt keeps values from being guessed.
create or replace function usher.fingerprint(report jsonb, salt text) returns text
language sql immutable
as $$
    select salt || ':' || encode(sha256(convert_to(jsonb_build_array(salt, c.changes, report -> 'decisions', o.refused, w.warnings)::text, 'UTF8')), 'hex')
      from (select jsonb_agg(c.matter order by c.matter::text) as changes
              from (select case x.value ->> 'kind'
                           when 'insert' then jsonb_build_array('+', x.value -> 'table')
                           when 'delete' then jsonb_build_array('-', x.value -> 'table', x.value -> 'key')
                           else jsonb_build_array(
                               '~', x.value -> 'table', x.value -> 'key',
                               (select jsonb_agg(jsonb_build_array(n.value -> 0, n.value -> 2))
                                  from jsonb_array_elements(x.value -> 'columns') n
                                 where not x.value -> 'rewritten' ? (n.value ->> 0)), x.value -> 'secrets') end as matter
                      from jsonb_array_elements(report -> 'changes') x) c) c,
           (select jsonb_agg(jsonb_build_array(r.value -> 'key', r.value -> 'remark', r.value -> 'promise')) as refused
              from jsonb_array_elements(report -> 'refused') r) o,
           (select jsonb_agg(jsonb_build_array(w.value -> 'key', w.value -> 'remark')) as warnings
              from jsonb_array_elements(report -> 'warnings') w) w
$$;
