/// Authors of a first app file make mistakes with SQL, secrets, members, and the purpose of a directive.
enum MistakenMarket {
    private static let schema = [
        """
        create table public.people (
            id bigint primary key, email text not null, name text, plan text not null check (plan in ('free', 'pro')),
            password_hash text, recovery jsonb, seen_at timestamptz, trial_ends_at timestamptz)
        """,
        "create table public.shops (id bigint primary key, title text not null, seats integer, limits jsonb, api_key text)",
        """
        create table public.clerks (
            shop_id bigint not null references public.shops on delete cascade,
            person_id bigint not null references public.people on delete cascade, since timestamptz,
            primary key (shop_id, person_id))
        """,
        """
        create table public.orders (
            id bigint primary key, shop_id bigint not null references public.shops on delete cascade,
            person_id bigint not null references public.people on delete cascade, state text not null, cents integer,
            made_at timestamptz not null)
        """,
    ]

    private static let text = """
        -- @app market  The Market
        -- @language 3
        -- @requires public.people
        -- @requires public.shops
        -- @constant trial: int = 14

        -- @users
        -- @key id
        -- @email email
        -- @fact plan : The current plan.
        -- @link Mailbox https://mail.example.org/?from={email}
        select p.id, p.email, p.name, p.plan, p.seen_at, p.trial_ends_at from public.people p;

        -- @select idle  People who were not seen for a month.
        seen_at < :now - interval '30 days';

        -- @object shop  A shop.
        -- @key id
        -- @columns id, title
        select s.id, s.title, s.seats from public.shops s;
        -- @members
        select c.shop_id, c.person_id from public.clerks c;

        -- @select empty  Nobody works there.
        seats = 0;

        -- @define turnover (shop, person, cents)  The sales of each shop.
        select o.shop_id, o.person_id, sum(o.cents) from public.orders o group by o.shop_id, o.person_id;

        -- @define badge (person, label)  The label of each person.
        select p.id, coalesce(p.name, p.email) from public.people p;

        -- @decision access  May this person sell?
        -- @rule yes  Pays.
        plan = 'pro';
        -- @rule yes  The trial runs until {trial_ends_at}.
        trial_ends_at > :now - make_interval(days => :trial);
        -- @rule no  Neither paid nor on trial.
        -- @advice Give time: `person extend {email}`
        true;
        -- @because  The trial is over.
        trial_ends_at is not null;
        -- @because  There was none.
        true;

        -- @decision shop  Is each shop open?
        -- @per title
        select u.id, s.title, s.seats, t.cents
          from users u
          join public.clerks c on c.person_id = u.id
          join public.shops s on s.id = c.shop_id
          left join turnover t on t.shop = s.id and t.person = u.id;
        -- @rule sells  Sold for {cents}.
        cents > 0;
        -- @rule quiet  Sold nothing.
        true;

        -- @quota orders
        select o.person_id, count(*), 100, 'total', null::timestamptz from public.orders o group by o.person_id;
        -- @history  A day.
        select date_trunc('day', o.made_at), count(*) from public.orders o where o.person_id = :user group by 1;

        -- @panel Shops
        -- @limit 5
        select s.title, c.since, s.seats
          from public.clerks c
          join public.shops s on s.id = c.shop_id
         where c.person_id = :user
         order by c.since;

        -- @panel Orders
        -- @order 2
        select o.id, o.state, o.cents, o.made_at from public.orders o where o.person_id = :user;

        -- @panel Badge
        select b.label from badge b where b.person = :user;

        -- @timeline orders
        select o.made_at, 'order', o.state, null from public.orders o where o.person_id = :user;

        -- @stat plans  People by plan.
        select plan, count(*) from users group by 1;

        -- @list order big  Orders above a price.
        -- @arg above: int 0..100000 = 100
        -- @option state?: text
        select o.id, o.cents from public.orders o where o.cents > :above and (:state is null or o.state = :state);

        -- @action person extend  Extend the trial.
        -- @option days: int 1..90 = 14
        -- @role support
        -- @grade mild
        -- @expect access yes
        -- @refuse Pays already.
        plan = 'pro';
        -- @warn This person was not seen for long.
        seen_at < :now - interval '90 days';
        -- @do
        update public.people set trial_ends_at = :now + make_interval(days => :days) where id = any(:users);

        -- @action shop close  Close a shop.
        -- @on shop
        -- @grade severe
        -- @do
        update public.shops set seats = 0 where id = any(:keys);

        -- @check dangling  Every order has a price.
        select o.person_id, o.id from public.orders o where o.cents is null;

        -- @account
        -- @root public.people.id
        -- @ignore public.orders.state : Texts stay.
        -- @secret public.people.password_hash
        -- @secret public.people.recovery
        -- @secret public.shops.api_key
        """

    static let file = MistakenFile(
        "market", text, on: schema + ["insert into public.people values (1, 'ada@example.com', null, 'free')"],
        with: mistakes)
}
