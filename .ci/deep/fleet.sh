#!/usr/bin/env bash
# Runs commands on twenty small databases, of which two are unreachable and one is slow. A list prints the rows
# of the other databases before it waits for the slow database. Each command names the unreachable databases.
#
# Usage: .ci/deep/fleet.sh [USERS]    USERS: users of each database; USHER: another program than the built one
set -euo pipefail
cd "$(dirname "$0")/../.."

users=${1:-200}
source .ci/deep/cluster
cat >"$work/app.sql" <<'APP'
-- @app fleet  Fleet
-- @requires public.people
-- @users
-- @key id
-- @email email
select p.id, p.email, p.seats from public.people p;
-- @select seated  Users with a seat.
seats > 0;
-- @decision access  Does the user have a seat?
-- @rule allowed  The user has a seat.
seats > 0;
-- @rule none  The user doesn't have a seat.
true;
-- @check odd  The number of seats is not negative.
select p.id from public.people p where p.seats < 0;
-- @action seat give  Give a seat.
-- @role support
-- @do
update public.people set seats = seats + 1 where id = any(:users);
-- @account
-- @root public.people
APP
export USHER_APP=$work/app.sql
sql postgres 'create database one'
sql one "create table people (id integer primary key, email text, seats integer not null default 0);
         create index on people (lower(email));
         insert into people select i, 'u' || i || '@one.example.com', i % 2 from generate_series(1, $users) i"
"$usher" -d "host=$work dbname=one user=postgres" install --environment staging --yes --no-input >/dev/null
fleet=$work/fleet.conf
member() { printf '[%s]\nlabels=%s\nhost=%s\ndbname=%s\nuser=postgres\n' "$1" "$2" "$work" "$1" >>"$fleet"; }
for i in $(seq 17); do
    sql postgres "create database d$i template one"
    sql "d$i" "update people set email = replace(email, '@one', '@d$i')"
    "$usher" -d "host=$work dbname=d$i user=postgres" install --environment staging --yes --no-input >/dev/null
    member "d$i" "sound, $([ $((i % 2)) = 0 ] && echo even || echo odd)"
done
# A database whose users take three seconds to read.
sql postgres 'create database slow template one'
sql slow "alter table people rename to folk;
          create view people as select id, replace(email, '@one', '@slow') as email, seats from folk, (select pg_sleep(3)) s"
member slow slow
printf '[gone]\nhost=%s\ndbname=gone\nuser=postgres\n' "$work" >>"$fleet"
# A server that accepts connections and never answers.
python3 - "$work/deaf" <<'PY' &
import socket, sys, time
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(64)
open(sys.argv[1], "w").write(str(server.getsockname()[1]))
time.sleep(600)
PY
begun+=($!)
for _ in $(seq 100); do [ -s "$work/deaf" ] && break; sleep 0.1; done
printf '[deaf]\nhost=127.0.0.1\nport=%s\nconnect_timeout=4\n' "$(cat "$work/deaf")" >>"$fleet"
run() {
    status=0
    "$usher" --fleet "$fleet" "$@" >"$work/output" 2>"$work/errors" || status=$?
}
[ "$(grep -c '^\[' "$fleet")" = 20 ] || fail 'the fleet does not have twenty databases'

echo 'a list of all users'
run user list -o ndjson
[ $status = 7 ] || fail "exit $status: $(cat "$work/errors")"
[ "$(wc -l <"$work/output")" = $((18 * users)) ] || fail "$(wc -l <"$work/output") rows of $((18 * users))"
[ "$(grep -o '"database":"[^"]*"' "$work/output" | sort -u | wc -l)" = 18 ] || fail 'the list does not name every database'
tail -n 1 "$work/output" | grep -q '"database":"slow"' || fail 'the slow database is not the last one in the list'
for name in gone deaf; do grep -q "\"database\":\"$name\"" "$work/errors" || fail "the errors do not name $name"; done

echo 'statistics'
run stats --json
[ $status = 7 ] || fail "exit $status"
python3 - "$work/output" "$users" <<'PY' || fail 'the figures are wrong'
import json, sys
reports = json.load(open(sys.argv[1]))
assert len({r["database"] for r in reports}) == 18, len(reports)
for report in reports:
    assert report["users"] == int(sys.argv[2]), report
    for decision in report["decisions"]:
        assert sum(row["count"] for row in decision["rows"]) == report["users"], report
PY

echo 'every reading command'
for words in 'check' 'doctor' 'app check' 'account survey' 'audit list' 'audit verify' 'roles show' 'user find u1@'; do
    # shellcheck disable=SC2086
    run --only sound $words -o ndjson
    [ $status = 0 ] || [ $status = 1 ] || fail "$words: exit $status: $(cat "$work/errors")"
    # shellcheck disable=SC2086
    run $words --json
    [ $status = 7 ] || fail "$words: exit $status: $(cat "$work/errors")"
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$work/output" || fail "$words: the output is not JSON"
done

echo 'one user of the fleet'
run --only sound user show u3@d5.example.com --json
[ $status = 0 ] && grep -q '^{"database":"d5"' "$work/output" || fail "exit $status: $(cat "$work/errors")"
run user show u3@d5.example.com --json
[ $status = 7 ] && grep -q '^{"database":"d5"' "$work/output" || fail "exit $status: $(cat "$work/errors")"
run user show 3
[ $status = 6 ] || fail "exit $status: $(cat "$work/errors")"

echo 'completion'
run __complete -- --member d5 user show u3@
[ $status = 0 ] && grep -q '^u3@d5.example.com' "$work/output" || fail "exit $status: $(cat "$work/output")"
# Completion queries no database of a fleet until --member chooses one.
run __complete -- user show u3@
[ $status = 0 ] && [ ! -s "$work/output" ] || fail "exit $status: $(cat "$work/output")"
run __complete -- --member d1
[ $status = 0 ] && [ "$(wc -l <"$work/output")" = 9 ] || fail "members: $(cat "$work/output")"

echo 'a change'
run seat give u3@d5.example.com --yes --no-input
[ $status = 5 ] && grep -q -- '--member d5' "$work/errors" || fail "exit $status: $(cat "$work/errors")"
run --only sound seat give u3@d5.example.com --yes --no-input
[ $status = 0 ] || fail "exit $status: $(cat "$work/errors")"
[ "$(sql d5 'select seats from people where id = 3')" = 2 ] || fail 'the user in d5 was not changed'
[ "$(sql d6 'select seats from people where id = 3')" = 1 ] || fail 'a user in d6 was changed too'

echo 'a deletion in every database'
run account delete 4 --confirm 4 --no-input
[ $status = 7 ] || fail "exit $status: $(cat "$work/errors")"
run --only even account delete 4 --confirm 4 --no-input --json
[ $status = 0 ] || fail "exit $status: $(cat "$work/errors")"
[ "$(grep -o '"operation":"[^"]*"' "$work/output" | sort -u | wc -l)" = 8 ] || fail 'the report does not name one operation for each database'
for i in $(seq 17); do
    [ "$(sql "d$i" 'select count(*) from people where id = 4')" = $((i % 2)) ] || fail "d$i"
done
run --only sound audit verify --json
[ $status = 0 ] || fail "the audit logs do not verify: $(cat "$work/output")"

echo 'Ctrl-C'
for name in slow deaf; do
    "$usher" --fleet "$fleet" --member $name user list -o ndjson >/dev/null 2>"$work/errors" &
    pid=$!
    sleep 1
    kill -INT $pid
    status=0
    wait $pid || status=$?
    [ $status = 130 ] || fail "$name: exit $status: $(cat "$work/errors")"
done
"$usher" --fleet "$fleet" user list -o ndjson >/dev/null 2>"$work/errors" &
pid=$!
sleep 1
kill -INT $pid
status=0
wait $pid || status=$?
[ $status = 130 ] || fail "all: exit $status: $(cat "$work/errors")"
echo 'fleet: passed'
