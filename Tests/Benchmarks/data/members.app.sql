-- @app members  Members
-- @requires app.members.ends_at

-- @users
-- @key id
-- @email email
select m.id, m.email, m.status, m.ends_at from app.members m;
-- @select due  Over, and still marked active.
status = 'active' and ends_at <= :now;

-- @decision access  Is this member let in?
-- @rule in  Until {ends_at}.
status = 'active' and ends_at > :now;
-- @rule out  Over.
true;

-- @action member end  End memberships that are over, and promise it.
-- @select due
-- @expect access out
-- @refuse This member runs until {ends_at}.
ends_at > :now;
-- @do
update app.members set status = 'ended' where id = any(:users);
