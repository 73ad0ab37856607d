-- The data that usher shows about a user of LangChat: sessions, matches, reports, events and numbers. usher counts messages and
-- never shows their text.

-- @panel Sessions
-- @explains signed-in
-- @limit 20
select d.id as session, d.created_at as signed_in, d.last_token_at, d.last_token_at + interval '1 hour' as token_lives_until,
       d.renews, d.not_after as renews_until, d.user_agent, d.ip
  from device d where d.user_id = :user
 order by d.last_token_at desc, d.id;

-- @define twin (id, other, same)  Two users who may be the same person: they have the same name, email or device.
select p.id, o.id, 'name'
  from public.profiles p
  join public.profiles o on lower(o.first_name) = lower(p.first_name) and lower(o.last_name) = lower(p.last_name) and o.id <> p.id
 union
select i.user_id, o.user_id, 'email'
  from auth.identities i join auth.identities o on o.email = i.email and o.user_id <> i.user_id
 union
select s.user_id, o.user_id, 'device'
  from auth.sessions s join auth.sessions o on o.ip = s.ip and o.user_agent = s.user_agent and o.user_id <> s.user_id;

-- @panel Possible other accounts of this person
-- @order 1
select u.id, u.name, u.email, t.same, u.provider, u.deleted_at, u.last_sign_in_at
  from (select n.other, string_agg(n.same, ', ' order by n.same) from twin n where n.id = :user group by n.other) as t (id, same)
  join users u on u.id = t.id
 order by u.last_sign_in_at desc nulls last, u.id;

-- @panel Profile
select p.first_name, p.last_name, p.email, p.bio, f.discoverable, f.notifications, p.created_at, p.updated_at
  from public.profiles p
  left join public.user_preferences f on f.user_id = p.id
 where p.id = :user;

-- @panel Languages
select l.language, l.level, case when l.learning then 'learns' else 'speaks' end as how
  from public.user_languages l where l.user_id = :user
 order by l.learning, l.language;

-- @panel Matches and conversations
-- @explains deletion
-- @limit 40
select coalesce(o.name, o.email, b.other_id::text) as "with", b.matched_at, b.conversation_since, b.own_messages,
       b.their_messages as other_side_loses, b.last_message_at, b.match_id
  from bond b
  left join users o on o.id = b.other_id
 where b.user_id = :user
 order by b.last_message_at desc nulls last, b.matched_at desc, b.other_id;

-- @panel Reports
select case when r.reporter_id = :user then 'by this user' else 'against this user' end as direction,
       coalesce(o.name, o.email, w.other_id::text) as "other", r.reason, r.details, r.created_at, r.reviewed_at, r.id as report
  from public.reported_users r
 cross join lateral (select case when r.reporter_id = :user then r.reported_id else r.reporter_id end as other_id) as w
  left join users o on o.id = w.other_id
 where :user in (r.reporter_id, r.reported_id)
 order by r.created_at desc, r.id;

-- @panel Invites
select 'sent' as direction, i.email as "other", i.created_at, i.expires_at, i.accepted_at
  from public.invites i where i.inviter_id = :user
 union all
select 'received', coalesce(o.name, o.email, i.inviter_id::text), i.created_at, i.expires_at, i.accepted_at
  from users u
  join public.invites i on i.email in (u.email, u.profile_email)
  left join users o on o.id = i.inviter_id
 where u.id = :user
 order by created_at desc, "other";

-- @panel Stored photos
select f.name, f.metadata ->> 'mimetype' as type, f.metadata ->> 'size' as bytes, f.created_at, f.id as photo
  from stored f where f.user_id = :user
 order by f.created_at desc, f.id;

-- @timeline account
select a.created_at as at, 'account' as kind, 'signed up' as title, concat_ws(', ', a.email, a.raw_app_meta_data ->> 'provider') as detail
  from auth.users a where a.id = :user
 union all
select d.at, 'account', d.title, d.detail
  from auth.users a
  left join public.profiles p on p.id = a.id
 cross join lateral (values (a.email_confirmed_at, 'email confirmed', a.email::text),
                            (a.last_sign_in_at, 'last sign-in', null),
                            (a.banned_until, 'ban ended', null),
                            (a.deleted_at, 'marked as deleted', null),
                            (p.created_at, 'profile written', p.email)) as d (at, title, detail)
 where a.id = :user and d.at <= :now;

-- @timeline log
select l.created_at as at, 'log' as kind, l.payload ->> 'action' as title, nullif(l.ip_address, '') as detail
  from auth.audit_log_entries l where l.payload ->> 'actor_id' = :user::text;

-- @timeline match
select b.matched_at as at, 'match' as kind, 'matched with ' || coalesce(o.name, o.email, b.other_id::text) as title, null as detail
  from bond b
  left join users o on o.id = b.other_id
 where b.user_id = :user;

-- @timeline message
select max(m.created_at) as at, 'message' as kind, count(*) || case count(*) when 1 then ' message' else ' messages' end as title,
       'on ' || to_char(d.day, 'YYYY-MM-DD') || ' in conversation ' || m.conversation_id as detail
  from public.messages m
 cross join lateral (select date_trunc('day', m.created_at at time zone 'UTC') as day) as d
 where m.sender_id = :user
 group by d.day, m.conversation_id;

-- @timeline report
select r.created_at as at, 'report' as kind, case when r.reporter_id = :user then 'reported somebody' else 'was reported' end as title,
       concat_ws(': ', r.reason, r.details) as detail
  from public.reported_users r where :user in (r.reporter_id, r.reported_id);

-- @timeline invite
select d.at, 'invite' as kind, d.title, i.email as detail
  from public.invites i
 cross join lateral (values (i.created_at, 'invited'), (i.accepted_at, 'invite accepted')) as d (at, title)
 where i.inviter_id = :user and d.at is not null;

-- @timeline content
select max(c.at) as at, 'content' as kind, count(*) || ' ' || case when count(*) = 1 then c.one else c.many end as title,
       'on ' || to_char(c.day, 'YYYY-MM-DD') as detail
  from (select s.created_at, 'swipe', 'swipes' from public.swipes s where s.swiper_id = :user
         union all
        select i.created_at, 'question to Muse', 'questions to Muse' from public.muse_interactions i where i.user_id = :user
         union all
        select f.created_at, 'feedback', 'feedbacks' from public.feedback f where f.user_id = :user) as w (at, one, many)
 cross join lateral (select w.*, date_trunc('day', w.at at time zone 'UTC') as day) as c
 group by c.day, c.one, c.many;

-- @list user photos  List the stored photos of a user.
select o.bucket_id as bucket, o.name, o.metadata ->> 'mimetype' as type, o.metadata ->> 'size' as bytes, o.created_at,
       (coalesce(o.owner_id, o.owner::text) = :user::text) is true as uploaded_by_user
  from storage.objects o
 where o.bucket_id = 'photos' and starts_with(o.name, :user::text || '/') or o.owner_id = :user::text or o.owner = :user
 order by o.bucket_id, o.name;

-- @stat providers  Users by sign-in provider.
select coalesce(provider, 'unknown') as label, count(*) as value from users group by 1 order by 2 desc, 1;
