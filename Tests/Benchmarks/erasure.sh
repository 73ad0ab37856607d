#!/bin/sh
# What a verified deletion costs against the database's own cascade: ratios of medians from one run.
#
#   Tests/Benchmarks/erasure.sh [USHER [RUNS]]
#
# The server is private and goes away at the end. Nothing is asserted: times are for people to judge.
set -eu
export PGOPTIONS='-c client_min_messages=warning'
usher=${1:-.build/release/usher}
runs=${2:-5}
ada=00000000-0000-0000-0000-00000000000a
server=$("$usher" demo --keep -q -o name | sed 's/ dbname=.*//')
folder=${server#host=}
folder=${folder%% *}
times=$(mktemp -d)
trap '"$usher" demo --stop "$folder"; rm -r "$times"' EXIT

db() { printf '%s dbname=%s user=postgres' "$server" "$1"; }
sql() { psql -qAtX -v ON_ERROR_STOP=1 -d "$(db "$1")"; }

# A database from the statements of its standard input, with a ledger, as the template of the copies that are used up.
prepare() {
    echo "create database $1" | sql postgres
    sql "$1"
    "$usher" install --environment test --yes -q --db "$(db "$1")" >/dev/null
    echo 'vacuum (freeze, analyze)' | sql "$1"
}

# Takes the time of one way in a fresh copy whose pages are in memory: NAME TEMPLATE COMMAND…
measure() {
    name=$1 template=$2
    shift 2
    printf 'drop database if exists work;\ncreate database work template %s;\n' "$template" | sql postgres
    echo "do \$\$ declare t regclass; begin for t in select oid from pg_class where relnamespace = 'public'::regnamespace
          and relkind = 'r' loop execute format('select count(*) from %s', t); end loop; end \$\$; checkpoint" | sql work
    start=$(date +%s%N)
    "$@" >/dev/null
    echo $((($(date +%s%N) - start) / 1000)) >>"$times/$name"
}

native() { echo "delete from users where id = '$ada'" | sql work; }
ours() { "$usher" account delete "$ada" --root public.users --confirm "$ada" --reason benchmark -q --db "$(db work)" "$@"; }
plan() { "$usher" account plan "$ada" --root public.users -q --db "$(db work)"; }

median() { sort -n "$times/$1" | sed -n "$((($(wc -l <"$times/$1") + 1) / 2))p"; }
report() { # TITLE OURS THEIRS
    awk -v title="$1" -v a="$(median "$2")" -v b="$(median "$3")" \
        'BEGIN { printf "%-58s %9.1f ms / %9.1f ms = %.3f\n", title, a / 1000, b / 1000, a / b }'
}

# 200,000 rows in twenty indexed tables, three deep, of one account beside as many of another.
{
    echo "create table users (id uuid primary key, email text);
          insert into users values ('$ada', 'ada@example.com'), (gen_random_uuid(), 'bob@example.com');"
    for n in $(seq 20); do
        if [ "$n" -le 5 ]; then parent=users each=10000; else parent=t$(((n - 6) % 5 + (n > 10 ? 6 : 1))) each=1; fi
        echo "create table t$n (id uuid primary key default gen_random_uuid(), body text, made timestamptz default now(),
                                parent uuid not null references $parent on delete cascade);
              insert into t$n (body, parent) select repeat('x', 60), id from $parent, generate_series(1, $each);
              create index on t$n (parent);"
    done
} | prepare large

# 2,000 parents, and half a million rows that no index finds by them.
prepare unindexed <<SQL
create table users (id uuid primary key, email text);
insert into users values ('$ada', 'ada@example.com'), (gen_random_uuid(), 'bob@example.com');
create table posts (id int primary key, author uuid not null references users on delete cascade);
create index on posts (author);
insert into posts select n, (array(select id from users order by id))[1 + n % 2] from generate_series(0, 3999) n;
create table likes (id int primary key, post int not null references posts on delete cascade, made timestamptz default now());
insert into likes select n, n % 4000 from generate_series(1, 500000) n;
SQL

# 500 tables and 900 foreign keys, and next to nothing in them.
{
    echo "create table users (id uuid primary key, email text); insert into users values ('$ada', 'ada@example.com');"
    for n in $(seq 499); do
        parent=$([ "$n" -le 98 ] || echo "references t$((n - 98))")
        echo "create table t$n (id uuid primary key, name text, owner uuid references users, parent uuid $parent);"
    done
} | prepare wide

for _ in $(seq "$runs"); do
    measure large-native large native
    measure large-ours large ours
done
report 'verified deletion of 200,000 rows / native cascade' large-ours large-native

measure unindexed-native unindexed native
for _ in $(seq "$runs"); do measure unindexed-ours unindexed ours --build-indexes; done
report 'without an index, with --build-indexes / native' unindexed-ours unindexed-native

for _ in $(seq "$runs"); do
    measure connection wide sql work </dev/null
    measure plan wide plan
done
report 'empty plan, 500 tables and 900 keys / psql that does nothing' plan connection
