-- @app members  Members
-- @requires app.members.ends_at

-- @users
-- @key id
-- @email email
select m.id, m.email, m.status, m.ends_at from app.members m;
-- @select due  Memberships that have ended and are still marked active.
status = 'active' and ends_at <= :now;

-- @decision access  Does this member have access?
-- @rule in  The membership lasts until {ends_at}.
status = 'active' and ends_at > :now;
-- @rule out  The membership has ended.
true;

-- @action member end  End memberships whose time is over.
-- @select due
-- @expect access out
-- @refuse This membership lasts until {ends_at}.
ends_at > :now;
-- @do
update app.members set status = 'ended' where id = any(:users);
