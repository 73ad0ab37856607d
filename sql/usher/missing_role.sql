-- The role that the caller lacks to answer a request; null if none is missing. Answering takes the role that approved such an
-- action when it was requested, and the role that approves it as it is installed now.
create or replace function usher.missing_role(place usher.request, act usher.act) returns text
language plpgsql volatile
as $$
declare
    installed constant usher.act := usher.act_now(act);
begin
    return (select r.role from unnest(array[place.role, coalesce(installed.definition ->> 'approve', installed.role)]) r (role)
             where r.role is not null and not usher.may(r.role) limit 1);
end
$$;
