-- An account with 2,000 posts, and 500,000 likes whose reference to their post has no index.
create table users (id uuid primary key, email text);
insert into users values (:'ada', 'ada@example.com'), (md5('bob')::uuid, 'bob@example.com');
create table posts (id int primary key, author uuid not null references users on delete cascade);
create index on posts (author);
insert into posts select n, (array(select id from users order by id))[1 + n % 2] from generate_series(0, 3999) n;
create table likes (id int primary key, post int not null references posts on delete cascade, made timestamptz default now());
insert into likes select n, n % 4000 from generate_series(1, 500000) n;
