-- A schema with `tables` tables, about twice as many foreign keys, and almost no rows.
create table users (id uuid primary key, email text);
insert into users values (:'ada', 'ada@example.com');
select format('create table t%s (id uuid primary key, name text, owner uuid references users, parent uuid %s)',
              n, case when n > 98 then 'references t' || n - 98 else '' end)
  from generate_series(1, :tables - 1) n \gexec
