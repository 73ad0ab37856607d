-- What an operation comes to: its columns, its changes and what it erased, in one digest. The time is written as a
-- number, which no setting of a session can change.
create or replace function usher.leaf(o usher.operation, out changes bigint, out leaf bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    select c.changes,
           sha256(convert_to((jsonb_build_array(
               o.id, extract(epoch from o.at), o.operator, o.transaction::text, o.kind, o.outcome, o.command, o.app,
               o.parent, o.undoes, encode(o.digest, 'hex'), c.changes, encode(c.root, 'hex'),
               e.changes, encode(e.root, 'hex'))
               -- What was recorded before there were these comes to what it came to then.
               || case when num_nonnulls(o.app_digest, o.request, o.root) = 0 then '[]'
                       else jsonb_build_array(encode(o.app_digest, 'hex'), o.request, o.root) end)::text, 'UTF8'))
      from (select count(*) as changes, sha256(string_agg(int4send(c.ordinal) || c.digest, '' order by c.ordinal)) as root
              from usher.change c
             where c.operation = o.id) c,
           (select count(*) as changes,
                   sha256(string_agg(uuid_send(e.operation) || int4send(e.ordinal), '' order by e.operation, e.ordinal)) as root
              from (select c.operation, c.ordinal from usher.change c where c.erased = o.id
                     union all
                    select p.id, -1 from usher.operation p where p.erased = o.id
                     union all
                    -- Before they had digests, whom it took from a list was not sealed.
                    select s.operation, -1 - s.ordinal from usher.subject s where s.erased = o.id and s.digest is not null) e) e
$$;
