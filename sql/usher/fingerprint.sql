-- What has to be the same when an act runs again: what it writes over, what is decided before and after, and what is said against
-- whom. Of a column that becomes the present time, whether by a statement or by a trigger, only whether it was empty: it may have
-- moved on since. The salt keeps values from being guessed.
create or replace function usher.fingerprint(report jsonb, at timestamptz, salt text) returns text
language sql volatile
as $$
    select salt || ':' || encode(sha256(convert_to(jsonb_build_array(salt, c.changes, report -> 'decisions', o.refused, w.warnings)::text, 'UTF8')), 'hex')
      from (select jsonb_agg(c.matter order by c.matter::text) as changes
              from (select case x.value ->> 'kind'
                           when 'insert' then jsonb_build_array('+', x.value -> 'table')
                           when 'delete' then jsonb_build_array('-', x.value -> 'table', x.value -> 'key')
                           else jsonb_build_array(
                               '~', x.value -> 'table', x.value -> 'key',
                               (select jsonb_agg(jsonb_build_array(
                                           n.value -> 0, case when (n.value ->> 1)::oid in ('timestamptz'::regtype, 'timestamp'::regtype)
                                                              then case when (n.value ->> 3)::timestamptz between at and clock_timestamp()
                                                                        then to_jsonb(n.value ->> 2 is null) else n.value -> 2 end
                                                              else n.value -> 2 end))
                                  from jsonb_array_elements(x.value -> 'columns') n), x.value -> 'secrets') end as matter
                      from jsonb_array_elements(report -> 'changes') x) c) c,
           (select jsonb_agg(jsonb_build_array(r.value -> 'key', r.value -> 'remark', r.value -> 'promise')) as refused
              from jsonb_array_elements(report -> 'refused') r) o,
           (select jsonb_agg(jsonb_build_array(w.value -> 'key', w.value -> 'remark')) as warnings
              from jsonb_array_elements(report -> 'warnings') w) w
$$;
