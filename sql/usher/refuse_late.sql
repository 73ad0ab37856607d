-- An act is the first thing that its transaction writes, and the only one in it: else what a caller deferred would run as the
-- owner of this schema. Its snapshot is one, and seconds old at most: what it finds is what stands. What is not deferred by itself is deferred by nobody, since what comes
-- with the commit is not accounted for.
create or replace function usher.refuse_late() returns void
language plpgsql volatile
as $$
declare
    prompt text;
begin
    if current_setting('transaction_isolation') <> 'repeatable read' then
        raise exception 'an act needs a transaction at REPEATABLE READ' using errcode = 'invalid_transaction_state';
    end if;
    perform usher.refuse_written();
    if clock_timestamp() - transaction_timestamp() > interval '5 seconds' then
        raise exception 'this transaction began too long ago for an act' using errcode = 'invalid_transaction_state';
    end if;
    perform usher.refuse_temporary();
    select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ') into prompt
      from pg_constraint c
      join pg_namespace n on n.oid = c.connamespace
      join pg_class t on t.oid = c.conrelid
     where c.condeferrable and not c.condeferred and n.nspname <> 'usher' and t.relpersistence <> 't'
       and has_schema_privilege(n.oid, 'usage');
    if prompt is not null then execute 'set constraints ' || prompt || ' immediate'; end if;
end
$$;
