-- Two accounts, each with 200,000 rows in twenty indexed tables on three levels.
create table users (id uuid primary key, email text);
insert into users values (:'ada', 'ada@example.com'), (md5('bob')::uuid, 'bob@example.com');
select format('create table t%1$s (id uuid primary key, body text, made timestamptz, parent uuid not null references %2$s on delete cascade);
               insert into t%1$s select md5(%1$s || p.id::text || k)::uuid, repeat(''x'', 60), now(), p.id from %2$s p, generate_series(1, %3$s) k;
               create index on t%1$s (parent)',
              n, case when n <= 5 then 'users' else 't' || (n - 6) % 5 + case when n > 10 then 6 else 1 end end, case when n <= 5 then 10000 else 1 end)
  from generate_series(1, 20) n \gexec
