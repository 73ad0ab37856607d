-- What the statements and triggers of an app read of the session is not for whoever asks for an act to say. Until the transaction
-- ends, words are taken apart as in the session that installed the app, and what triggers read is what the database and its owner
-- set, or empty.
create or replace function usher.own_session(app jsonb) returns void
language plpgsql volatile
as $$
begin
    perform set_config('default_text_search_config', app ->> 'text_search', true) where app ->> 'text_search' is not null;
    perform set_config(n.name, coalesce(o.value, ''), true)
       from jsonb_array_elements_text(coalesce(app -> 'settings', '[]')) as n (name)
       left join lateral (
            select substr(s.pair, strpos(s.pair, '=') + 1) as value
              from pg_db_role_setting d
             cross join lateral unnest(d.setconfig) as s (pair)
             where d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
               and d.setrole in (0, (select r.oid from pg_roles r where r.rolname = current_user))
               and lower(split_part(s.pair, '=', 1)) = n.name
             order by d.setrole <> 0 desc, d.setdatabase <> 0 desc
             limit 1) o on true
     -- What nobody set stays unset, which is not the same as empty.
     where o.value is not null or current_setting(n.name, true) <> '';
end
$$;
