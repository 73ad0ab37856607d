-- @app shop  A shop
-- @schema :tenant shop_%
-- @requires :tenant.people.email

-- @users
-- @key id
-- @email email
select p.id, p.email, p.paid from :tenant.people p;

-- @select paying  Users who pay.
paid;

-- @decision access  Is this user let in?
-- @rule full  {email} pays.
paid;
-- @rule none  {email} does not pay.
true;

-- @panel Orders
select o.no from :tenant.orders o where o.person = :user;

-- @timeline orders
select o.at, 'ordered'::text as kind, o.no::text as title, null::text as detail
  from :tenant.orders o where o.person = :user;

-- @check unpaid  Orders of users who don't pay.
select o.no, p.email from :tenant.orders o join :tenant.people p on p.id = o.person where not p.paid;

-- @list order recent  The latest orders.
select o.no, p.email from :tenant.orders o join :tenant.people p on p.id = o.person;

-- @action person bill  Make a user pay.
-- @grade mild
-- @expect access full
-- @do
update :tenant.people set paid = true where id = any(:users);

-- @account
-- @root :tenant.people.id
