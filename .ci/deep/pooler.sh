#!/usr/bin/env bash
# Reads through PgBouncer in transaction mode with two clients at a time. The output must equal that of a direct connection, and
# usher may leave no settings, statements or locks in the server connections.
#
# Usage: .ci/deep/pooler.sh [ROUNDS]    with a built usher; the variable USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-25}
usher=${USHER:-.build/debug/usher}
at=2026-03-01T12:00:00Z
[ "$rounds" -gt 0 ]

fail() {
    echo "pooler: $*" >&2
    exit 1
}

[ -x "$usher" ] || fail "$usher is missing; run swift build"
psql=$(ls /usr/lib/postgresql/*/bin/psql 2>/dev/null | tail -n 1) || true
[ -n "$psql" ] || fail "psql is missing; apt-get install -y postgresql"
pgbouncer=$(command -v pgbouncer || ls /usr/sbin/pgbouncer 2>/dev/null) || fail "apt-get install -y pgbouncer"
# PgBouncer doesn't run as root, and neither does Postgres.
as=()
if [ "$(id -u)" = 0 ]; then as=(runuser -u postgres --); fi

work=$(mktemp -d)
cluster=
clean() {
    stop_pooler
    if [ -n "$cluster" ]; then "$usher" demo --stop "$cluster" || true; fi
    rm -rf "$work"
}
stop_pooler() {
    if [ ! -s "$work/run/pid" ]; then return; fi
    local pid
    pid=$(cat "$work/run/pid")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    rm -f "$work/run/pid"
}
trap clean EXIT

"$usher" demo --keep --json --no-input </dev/null >"$work/demo.json" 2>"$work/demo.err" || {
    cat "$work/demo.err" >&2
    fail "usher demo did not start a database"
}
cluster=$(sed -n 's/.*"folder":"\([^"]*\)".*/\1/p' "$work/demo.json")
direct=$(sed -n 's/.*"db":"\([^"]*\)".*/\1/p' "$work/demo.json")
[ -n "$cluster" ] && [ -n "$direct" ] || fail "usher demo did not print its connection: $(cat "$work/demo.json")"
database=$(sed -n 's/.*dbname=\([^ ]*\).*/\1/p' <<<"$direct")
user=$(sed -n 's/.*user=\([^ ]*\).*/\1/p' <<<"$direct")

chmod 755 "$work"
mkdir "$work/run"
if [ "$(id -u)" = 0 ]; then chown postgres "$work/run"; fi
pooled="host=$work/run port=6432 dbname=$database user=$user"

start_pooler() {
    cat >"$work/run/pgbouncer.ini" <<INI
[databases]
$database = host=$cluster port=5432 dbname=$database
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = $work/run
auth_type = trust
auth_file = $work/run/users
pool_mode = transaction
default_pool_size = $1
logfile = $work/run/log
pidfile = $work/run/pid
INI
    echo "\"$user\" \"\"" >"$work/run/users"
    "${as[@]}" "$pgbouncer" -q -d "$work/run/pgbouncer.ini" || fail "PgBouncer did not start: $(cat "$work/run/log")"
    for _ in $(seq 200); do
        if ask "$pooled" 'select 1' >/dev/null 2>&1; then return; fi
        sleep 0.05
    done
    fail "PgBouncer does not answer: $(cat "$work/run/log")"
}

ask() { "$psql" -X -A -t -q -w -v ON_ERROR_STOP=1 -d "$1" -c "$2"; }

# Runs the reading commands, and writes the output of each command to a file.
read_all() {
    local db=$1 folder=$2
    mkdir -p "$folder"
    "$usher" user show ada@example.com --db "$db" --at $at >"$folder/show"
    "$usher" user list --limit 3 --db "$db" --at $at >"$folder/list"
    "$usher" user list --json --db "$db" --at $at >"$folder/list.json"
    "$usher" user why ada@example.com --db "$db" --at $at >"$folder/why"
    # Failed statements and failed commands must leave nothing in the session either.
    if "$usher" user show nobody@example.com --db "$db" --at $at >"$folder/nobody" 2>&1; then return 1; fi
    if "$usher" user show ada@example.com --db "$db" --at never >"$folder/never" 2>&1; then return 1; fi
}

client() {
    local number=$1 round
    for round in $(seq "$rounds"); do
        read_all "$pooled" "$work/client-$number" || fail "client $number fails in round $round"
        diff -r "$work/direct" "$work/client-$number" >&2 || fail "the output of client $number in round $round differs from a direct connection"
    done
}

# The settings of a server session, without the name and encoding of its client.
session="select name, setting from pg_settings where name not in ('application_name', 'client_encoding')
    and name not like '%.%' order by name"

read_all "$direct" "$work/direct" || fail "a command fails on a direct connection"
for file in "$work"/direct/*; do [ -s "$file" ] || fail "$(basename "$file") is empty"; done
grep -q ada@example.com "$work/direct/show" || fail "user show does not show Ada"
ask "$direct" "$session" >"$work/settings"
ask "$direct" 'show search_path' >"$work/search_path"

for size in 1 2; do
    start_pooler $size
    client 1 &
    first=$!
    client 2 &
    second=$!
    wait $first || fail "the first of two clients of a pool of $size failed"
    wait $second || fail "the second of two clients of a pool of $size failed"

    servers=$(ask "$direct" "select count(*) from pg_stat_activity where usename = '$user' and pid <> pg_backend_pid()")
    [ "$servers" -ge 1 ] && [ "$servers" -le $size ] || fail "$servers servers in a pool of $size: the clients did not use the pool"
    # Checks more often than there are server connections, so that it reaches each of them.
    for _ in $(seq 10); do
        ask "$pooled" 'show search_path' | diff "$work/search_path" - >&2 || fail "usher left search_path changed in a server connection"
        ask "$pooled" "$session" | diff "$work/settings" - >&2 || fail "usher left a setting changed in a server connection"
        left=$(ask "$pooled" "select (select count(*) from pg_prepared_statements)
                                   + (select count(*) from pg_cursors where name <> '')
                                   + (select count(*) from pg_locks where locktype = 'advisory')
                                   + (select count(*) from pg_class where relpersistence = 't')")
        [ "$left" = 0 ] || fail "usher left $left statements, cursors, locks or temporary tables in a server connection"
    done
    open=$(ask "$direct" "select count(*) from pg_stat_activity where state like 'idle in transaction%'")
    [ "$open" = 0 ] || fail "usher left $open transactions open"
    # PgBouncer closes a server connection if its client disconnects in the middle of a transaction.
    if grep 'server was not ready' "$work/run/log" >&2; then fail "a client disconnected in the middle of a transaction"; fi
    stop_pooler
    echo "pooler: in $((2 * rounds)) rounds of two clients through a pool of $size, the output equals that of a direct connection"
done
