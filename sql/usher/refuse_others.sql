-- Refuses an act that changes other users than it is about or names: what that comes to for them nobody would be shown. A key
-- that nobody had is no other user's.
create or replace function usher.refuse_others(app jsonb, act jsonb, others text[]) returns void
language plpgsql volatile
as $$
declare
    root constant jsonb := app -> 'root';
    number bigint;
begin
    if cardinality(refuse_others.others) = 0 then return; end if;
    execute format('select count(*) from %I.%I t where t.%I::text = any ($1)', root ->> 'schema', root ->> 'table', root ->> 'key')
       into number using refuse_others.others;
    if number > 0 then
        raise exception '`%` does not keep to its subjects: it would change % other users; nothing was changed',
              act ->> 'command', number
              using errcode = 'US003', detail = jsonb_build_object('refusal', 'others', 'command', act ->> 'command', 'users', number)::text;
    end if;
end
$$;
