#!/usr/bin/env bash
# Tests reading and changing data on a primary and its standby, and a primary that crashes during a bulk change.
#
# Usage: .ci/deep/replica.sh [USERS]    with a built usher; the variable USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

users=${1:-20000}
usher=$(realpath "${USHER:-.build/debug/usher}")
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

fail() {
    echo "replica: $*" >&2
    exit 1
}

[ -x "$usher" ] || fail "$usher is missing; run swift build"
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u postgres --); fi
work=$(mktemp -d)
mkdir "$work/run"
chmod -R 755 "$work"
if [ "$(id -u)" = 0 ]; then chown -R postgres "$work"; fi
clean() {
    for data in "$work"/{one,two}; do
        "${as[@]}" "$bin/pg_ctl" -D "$data" -m immediate -w stop >/dev/null 2>&1 || true
    done
    rm -rf "$work"
}
trap clean EXIT

serve() {
    "${as[@]}" "$bin/pg_ctl" -D "$work/$1" -w -l "$work/$1.log" -o \
        "-c listen_addresses= -k $work/run -p $2 -c fsync=off -c hot_standby_feedback=on" start >/dev/null
}
sql() { "$bin/psql" -XqAt -v ON_ERROR_STOP=1 -h "$work/run" -p "$1" -U postgres -d app -c "$2"; }

"${as[@]}" "$bin/initdb" -D "$work/one" -A trust -U postgres >/dev/null
serve one 5433
"$bin/createdb" -h "$work/run" -p 5433 -U postgres app
cat >"$work/app.sql" <<'APP'
-- @app replica  Replica
-- @requires public.people
-- @users
-- @key id
-- @email email
select p.id, p.email, p.seats from public.people p;
-- @select all  All users.
true;
-- @action seat give  Give a seat.
-- @select all
-- @role support
-- @do
update public.people set seats = seats + 1 where id = any(:users);
APP
sql 5433 "create table people (id integer primary key, email text, seats integer not null default 0);
          create index on people (lower(email));
          insert into people (id, email) select i, 'u' || i || '@example.com' from generate_series(1, $users) i" >/dev/null
one="host=$work/run port=5433 dbname=app user=postgres"
two="host=$work/run port=5434 dbname=app user=postgres"
both="host=$work/run,$work/run port=5434,5433 dbname=app user=postgres"
export USHER_APP=$work/app.sql
"$usher" -d "$one" install --environment staging --yes --no-input >/dev/null
copy() { "${as[@]}" "$bin/pg_basebackup" -h "$work/run" -p 5433 -U postgres -D "$work/$1" -X stream -c fast "${@:2}"; }
copy two -R
serve two 5434
for _ in $(seq 100); do [ "$(sql 5434 'select count(*) from people')" = "$users" ] && break; sleep 0.1; done

echo 'reading on the standby'
"$usher" -d "$two" user show u7@example.com >/dev/null
# A standby shows the age of its data only after a change on the primary.
sql 5433 'update people set seats = 0 where id = 1'
for _ in $(seq 100); do [ -n "$(sql 5434 'select pg_last_xact_replay_timestamp()')" ] && break; sleep 0.1; done
"$usher" -d "$two" user show u7@example.com --json | grep -q '"standby":{"replayed":"' || fail 'usher user show --json does not contain the age of the standby'
"$usher" -d "$two" user show u7@example.com | grep -q 'from a standby whose data is' || fail 'usher user show does not print the age of the standby'
for words in 'user find u7@example.com' 'user list --limit 1' 'audit list'; do
    # shellcheck disable=SC2086
    "$usher" -d "$two" $words --json 2>&1 >/dev/null | grep -q '^{"standby":{"replayed":"' || fail "usher $words --json does not show the age of the standby"
done
"$usher" -d "$two" audit verify --json | grep -q '"standby":{"replayed":"' || fail 'usher audit verify does not show the age of the standby'
"$usher" -d "$one" user show u7@example.com --json | grep -q standby && fail 'usher reports the primary as a standby'
"$usher" -d "$two" app check >/dev/null
"$usher" -d "$two" stats >/dev/null


echo 'a change on a standby without a primary in the connection string'
status=0
"$usher" -d "$two" seat give u7@example.com --yes --no-input >/dev/null 2>"$work/errors" || status=$?
[ "$status" = 3 ] || fail "exit $status: $(cat "$work/errors")"
grep -q 'this is a standby' "$work/errors" || fail "$(cat "$work/errors")"

echo 'a change on a standby runs on the primary'
"$usher" -d "$both" seat give u7@example.com --yes --no-input >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
grep -q 'makes changes on its primary' "$work/errors" || fail "$(cat "$work/errors")"
[ "$(sql 5433 'select seats from people where id = 7')" = 1 ] || fail 'the primary was not changed'

echo 'a primary that crashes during a bulk change'
status=0
"$usher" -d "$both" seat give --all --confirm "$users" --no-input --timeout 20 >"$work/output" 2>"$work/errors" &
bulk=$!
for _ in $(seq 600); do
    [ "$(sql 5433 'select count(*) from usher.operation where kind = $$batch$$' 2>/dev/null || echo 0)" -gt 0 ] && break
    sleep 0.05
done
"${as[@]}" "$bin/pg_ctl" -D "$work/one" -m immediate -w stop >/dev/null
"${as[@]}" "$bin/pg_ctl" -D "$work/two" -w promote >/dev/null
wait $bulk || status=$?
echo "  the bulk change ended with exit $status: $(tail -n 2 "$work/errors" | tr '\n' ' ')"
[ "$status" != 0 ] || fail 'the interrupted bulk change reports success'
id=$(sql 5434 "select id from usher.operation where kind = 'bulk' order by at desc limit 1")
[ -n "$id" ] || fail 'the audit log does not contain the bulk change'
done_=$(sql 5434 'select count(*) from people where seats = 1 and id <> 7')
[ "$done_" -gt 0 ] && [ "$done_" -lt $((users - 1)) ] || fail "$done_ users were changed before the primary crashed"
"$usher" -d "$both" seat give --all --resume "$id" --confirm "$users" --no-input >/dev/null 2>"$work/errors" || fail "$(cat "$work/errors")"
# User 7 already had a seat and now has two; every other user has one.
left=$(sql 5434 'select count(*) from people where seats <> case id when 7 then 2 else 1 end')
[ "$left" = 0 ] || fail "$left of $users users were not changed, or were changed twice"
"$usher" -d "$two" audit verify >/dev/null || fail 'the audit log does not verify'
echo 'replica: passed'
