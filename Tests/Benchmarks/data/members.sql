-- An app with one table of members, half of them due; `users` is the number of members, `partitions` the number of partitions.
create schema app;
create table app.members (
    id      uuid not null primary key,
    email   text not null,
    status  text not null check (status in ('active', 'ended')),
    ends_at timestamptz not null,
    note    text
) :partitioning;
select format('create table app.members_%s partition of app.members for values with (modulus %s, remainder %s)', n, :partitions, n)
  from generate_series(0, :partitions - 1) n \gexec
insert into app.members
select md5('member' || n)::uuid, 'member' || n || '@example.com', 'active',
       now() + case when n % 2 = 0 then -1 else 1 end * (1 + n % 20) * interval '1 day', repeat('x', 40)
  from generate_series(1, :users) n;
create index on app.members (lower(email) text_pattern_ops);
