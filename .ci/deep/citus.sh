#!/usr/bin/env bash
# Citus, a coordinator and two workers, beside plain Postgres with the same rows: what reads answers the same line by line,
# and what cannot be done there is refused by name, with nothing done.
#
# Usage: .ci/deep/citus.sh FOLDER [USERS]    FOLDER is where `make install DESTDIR=FOLDER` has put a built Citus
#        .ci/deep/citus.sh --without-citus   does nothing, and says so; USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

fail() {
    echo "citus: $*" >&2
    exit 1
}

if [ "${1:-}" = --without-citus ]; then
    echo 'left out: there is no Citus here'
    exit 0
fi
folder=${1:-}
users=${2:-2000}
[ -n "$folder" ] || fail 'a folder with a built Citus is needed, or --without-citus'
usher=$(realpath "${USHER:-.build/debug/usher}")
[ -x "$usher" ] || fail "$usher is missing; run swift build"
version=$(basename "$(dirname "$(dirname "$(find "$folder" -name citus.so | head -n 1)")")")
[ -n "$version" ] && [ -d "/usr/lib/postgresql/$version" ] || fail "$folder holds no citus.so for a Postgres of this machine"
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u postgres --); fi
work=$(mktemp -d)
chmod 755 "$work"
mkdir -p "$work/tree/lib/postgresql" "$work/tree/share/postgresql" "$work/s"
# Postgres finds its parts from where it lies, so a copy takes the extension and the machine stays as it is.
cp -r "/usr/lib/postgresql/$version" "$work/tree/lib/postgresql/"
cp -r "/usr/share/postgresql/$version" "$work/tree/share/postgresql/"
cp -r "$folder/usr/lib/postgresql/$version/." "$work/tree/lib/postgresql/$version/"
cp -r "$folder/usr/share/postgresql/$version/." "$work/tree/share/postgresql/$version/"
bin=$work/tree/lib/postgresql/$version/bin
if [ "$(id -u)" = 0 ]; then chown -R postgres "$work/s"; fi
clean() {
    for data in "$work"/s/[cw]*; do
        if [ -d "$data" ]; then "${as[@]}" "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true; fi
    done
    rm -rf "$work"
}
trap clean EXIT
# The workers are asked over TCP, on ports that nobody has.
free() {
    python3 -c 'import socket
held = [socket.socket() for _ in range(3)]
for s in held: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in held])'
}
read -r one two three < <(free)
serve() {
    "${as[@]}" "$bin/initdb" -D "$work/s/$1" -A trust -U postgres >/dev/null
    "${as[@]}" "$bin/pg_ctl" -D "$work/s/$1" -w -l "$work/s/$1.log" -o "-c listen_addresses=127.0.0.1 -k $work/s -p $2 \
        -c fsync=off -c shared_preload_libraries=citus -c wal_level=logical" start >/dev/null
}
serve c "$one"
serve w1 "$two"
serve w2 "$three"
# One by one, as Citus wants them.
sql() { "$bin/psql" -XqAt -v ON_ERROR_STOP=1 -h "$work/s" -p "$1" -U postgres -d "$2" <<<"$3" >/dev/null; }
sql "$one" postgres 'create database plain'
for port in "$one" "$two" "$three"; do
    sql "$port" postgres 'create database spread'
    sql "$port" spread 'create extension citus'
done
sql "$one" spread "select citus_set_coordinator_host('127.0.0.1', $one)"
for port in "$two" "$three"; do sql "$one" spread "select citus_add_node('127.0.0.1', $port)"; done
for database in plain spread; do
    sql "$one" $database "
        create table people (id bigint primary key, email text, tier text not null default 'trial', ends timestamptz);
        create table posts (id bigint, user_id bigint, body text, primary key (user_id, id));
        create table limits (tier text primary key, posts integer not null);
        create table news (id integer primary key, what text)"
done
sql "$one" spread "set citus.shard_count = 8; select create_distributed_table('people', 'id');
    select create_distributed_table('posts', 'user_id', colocate_with => 'people'); select create_reference_table('limits')"
for database in plain spread; do
    sql "$one" $database "
        alter table posts add foreign key (user_id) references people (id) on delete cascade;
        insert into limits values ('trial', 3), ('paid', 50);
        insert into people select i, 'u' || i || '@example.com', case i % 3 when 0 then 'paid' else 'trial' end,
                                  timestamptz '2026-01-01' + (i || ' hours')::interval from generate_series(1, $users) i;
        insert into posts select i, i % $users + 1, 'post ' || i from generate_series(1, $users * 3) i;
        insert into news values (1, 'nothing');
        create index on people (lower(email)); analyze"
done
cat >"$work/app.sql" <<'APP'
-- @app spread  Spread
-- @requires public.people
-- @users
-- @key id
-- @email email
select p.id, p.email, p.tier, p.ends from public.people p;
-- @select due  Trials that are over.
tier = 'trial' and ends <= :now;
-- @decision access  May this user in?
-- @rule allowed  The trial runs until {ends}.
tier <> 'trial' or ends > :now;
-- @rule paywall  The trial ended at {ends}.
true;
-- @panel Posts
select o.id, o.body from public.posts o where o.user_id = :user order by o.id;
-- @timeline posts
select p.ends as at, 'post' as kind, o.body as title, null::text as detail
  from public.posts o join public.people p on p.id = o.user_id where o.user_id = :user;
-- @quota posts
select p.id, (select count(*) from public.posts o where o.user_id = p.id) as used, l.posts as "limit", null::text as period,
       null::timestamptz as resets_at
  from public.people p join public.limits l on l.tier = p.tier;
-- @settings limit
-- @table public.limits
-- @key tier
-- @column posts: integer 0..100
-- @check tiers  Everybody has a tier that there is.
select p.id from public.people p left join public.limits l on l.tier = p.tier where l.tier is null;
-- @action trial expire  End trials.
-- @select due
-- @role support
-- @do
update public.people set tier = 'over' where id = any(:users);
-- @action news tell  Tell news.
-- @on nothing
-- @role support
-- @do
update public.news set what = 'something';
-- @account
-- @root public.people.id
APP
export USHER_APP=$work/app.sql
plain="host=$work/s port=$one dbname=plain user=postgres"
spread="host=$work/s port=$one dbname=spread user=postgres"
for database in "$plain" "$spread"; do
    "$usher" -d "$database" install --environment test --yes --no-input >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
done

failed=0
row() { printf '%-44s %s\n' "$1" "$2"; }
same() {
    local status=0 wanted=0
    "$usher" -d "$plain" "$@" >"$work/plain" 2>"$work/plain.err" || wanted=$?
    "$usher" -d "$spread" "$@" >"$work/spread" 2>"$work/errors" || status=$?
    if [ $status = $wanted ] && diff <(sort "$work/plain") <(sort "$work/spread") >"$work/diff"; then
        row "$*" 'as plain Postgres'
    else
        row "$*" "ANOTHER ANSWER, exit $status and not $wanted"
        head -n 5 "$work/errors" "$work/diff" >&2
        failed=1
    fi
}
refused() {
    local status=0 before after
    before=$("$bin/psql" -XqAt -h "$work/s" -p "$one" -U postgres -d spread -c 'select md5(string_agg(p::text, $$,$$ order by id)) from people p')
    "$usher" -d "$spread" "$@" >"$work/spread" 2>"$work/errors" || status=$?
    after=$("$bin/psql" -XqAt -h "$work/s" -p "$one" -U postgres -d spread -c 'select md5(string_agg(p::text, $$,$$ order by id)) from people p')
    if [ $status = 3 ] && grep -q 'other servers\|several servers' "$work/errors" && [ "$before" = "$after" ]; then
        row "$*" 'refused with its reason, nothing done'
    else
        row "$*" "NOT REFUSED, exit $status"
        head -n 5 "$work/errors" >&2
        failed=1
    fi
}
at=(--at 2026-02-01T00:00:00Z)
same app check
same user find u7@example.com -o csv
same user find u70 -o csv
same user list -o csv
same user list --where due -o csv "${at[@]}"
same user list --decision access=paywall -o csv "${at[@]}"
same user show u7@example.com --json "${at[@]}"
same user show 7 "${at[@]}"
same user why u7@example.com --json "${at[@]}"
same user timeline 7 -o csv
same quota show 7 --json
same quota show --json
same stats --json "${at[@]}"
same check --json
same settings show -o csv
same state list
same audit verify -o csv
refused trial expire u7@example.com --yes --no-input
refused trial expire u7@example.com -n
refused trial expire --due --confirm 1 --no-input
refused settings set limit trial posts 4 --yes --no-input
refused account survey
refused account plan 7
refused account delete 7 --confirm 7 --no-input
refused account delete 7 -n
refused user export 7

"$usher" -d "$spread" doctor -o csv >"$work/doctor" || true
grep -q '^servers,doubtful,"\?Citus: 3 of the tables lie on 2 other servers' "$work/doctor" || fail 'doctor says nothing of Citus'
row doctor 'says what lies where'
[ $failed = 0 ] || fail 'not all is as it should be'
echo 'all well'
