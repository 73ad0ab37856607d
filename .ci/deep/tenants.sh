#!/usr/bin/env bash
# Tests one app file for a thousand customer schemas in one database: commands that read all schemas, commands that run once,
# and the cost compared with a tenth of the schemas.
#
# Usage: .ci/deep/tenants.sh [SCHEMAS]    with a built usher; the variable USHER names another program
set -euo pipefail
cd "$(dirname "$0")/../.."

schemas=${1:-1000}
settings='max_locks_per_transaction=1024 log_statement=all'
source .ci/deep/cluster
export USHER_APP=$PWD/Tests/Fixtures/shop.sql
# Creates a hundred schemas in each transaction, because a transaction can hold only a limited number of locks.
fill() {
    local from
    sql postgres "create database $1"
    for from in $(seq 1 100 "$2"); do
        sql "$1" "do \$\$ declare name text; begin
            for i in $from .. least($from + 99, $2) loop
                name := format('shop_%s', lpad(i::text, 5, '0'));
                execute format('create schema %I', name);
                execute format('create table %I.people (id bigint primary key, email text not null, paid boolean not null)', name);
                execute format('create index on %I.people (lower(email) text_pattern_ops)', name);
                execute format('create table %I.orders (no bigint primary key, person bigint references %1\$I.people, at timestamptz)', name);
                execute format('create index on %I.orders (person)', name);
                execute format('insert into %I.people select j, case j when 20 then ''ada'' else format(''u%%s'', j) end
                                    || ''@shop%s.example.com'', j %% 2 = 0 from generate_series(1, 20) j', name, i);
                execute format('insert into %I.orders select j, j from generate_series(1, 20) j', name);
            end loop; end \$\$"
    done
    sql "$1" 'vacuum analyze'
}
few=$(((schemas + 9) / 10))
fill few "$few"
fill many "$schemas"
run() {
    status=0
    "$usher" -d "host=$work dbname=$database user=postgres" "$@" >"$work/output" 2>"$work/errors" </dev/null || status=$?
}
# Prints the processor seconds of the program, its memory in MB, and the number of statements that it sent.
measured() {
    local before
    before=$(grep -c 'execute\|statement:' "$work/log" || true)
    status=0
    python3 - "$work" "$usher" -d "host=$work dbname=$database user=postgres" "$@" <<'PY' || status=$?
import os, resource, subprocess, sys, time
folder, words = sys.argv[1], sys.argv[2:]
began = time.time()
with open(f"{folder}/output", "w") as output, open(f"{folder}/errors", "w") as errors:
    status = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=output, stderr=errors).returncode
spent = resource.getrusage(resource.RUSAGE_CHILDREN)
open(f"{folder}/spent", "w").write(f"{spent.ru_utime + spent.ru_stime:.2f} s of its own in {time.time() - began:.1f}, {spent.ru_maxrss // 1024} MB")
sys.exit(status)
PY
    statements=$(($(grep -c 'execute\|statement:' "$work/log" || true) - before))
    printf '  %-28s %5s schemas: %s, %s statements\n' "$*" "$count" "$(cat "$work/spent")" "$statements"
}
export PGOPTIONS='-c application_name=usher'

echo 'every reading command'
for words in 'check' 'stats' 'doctor' 'app check' 'user list' 'user find ada@'; do
    for database in few many; do
        count=$([ $database = few ] && echo "$few" || echo "$schemas")
        # shellcheck disable=SC2086
        measured $words -o ndjson
        [ $status = 0 ] || [ $status = 1 ] || fail "$words: exit $status: $(head -n 3 "$work/errors")"
        seen=$({ grep -o '"database":"[^"]*"' "$work/output" || true; } | sort -u | wc -l)
        # `app check` prints nothing for a file that fits.
        [ "$seen" = "$count" ] || { [ "$words" = 'app check' ] && [ $status = 0 ]; } || fail "$words: $seen of $count schemas: $(head -n 3 "$work/output")"
    done
done
database=many
run user list -o ndjson
[ "$(wc -l <"$work/output")" = $((20 * schemas)) ] || fail "$(wc -l <"$work/output") users of $((20 * schemas))"
run stats --json
python3 - "$work/output" "$schemas" <<'PY' || fail 'the figures are wrong'
import json, sys
reports = json.load(open(sys.argv[1]))
assert len({r["database"] for r in reports}) == int(sys.argv[2]), len(reports)
assert all(r["users"] == 20 for r in reports)
PY

echo 'one schema, and one user of a schema'
last=$(printf 'shop_%05d' "$schemas")
run --member "$last" user show "ada@shop$schemas.example.com" --json
[ $status = 0 ] || fail "exit $status: $(cat "$work/errors")"
run user show "ada@shop$schemas.example.com" --json
[ $status = 0 ] && grep -q "\"database\":\"$last\"" "$work/output" || fail "exit $status: $(cat "$work/errors")"
run user show 20
[ $status = 6 ] || fail "exit $status: $(head -n 3 "$work/errors")"

echo 'completion'
for words in "--member $last user show u1" '--member shop_000' 'user fi'; do
    # shellcheck disable=SC2086
    count=$schemas measured __complete -- $words
    [ $status = 0 ] && [ -s "$work/output" ] || fail "$words: exit $status, $(cat "$work/output" "$work/errors")"
    # Completion queries only the chosen schema.
    [ "$statements" -lt 600 ] || fail "$words: $statements statements for one TAB"
done

echo 'a fleet'
printf '[many]\nhost=%s\ndbname=many\nuser=postgres\n' "$work" >"$work/fleet.conf"
run --fleet "$work/fleet.conf" user list
[ $status = 2 ] || fail "exit $status: $(cat "$work/errors")"

echo 'usher refuses changes'
run account delete 20 --confirm 20 --no-input
[ $status != 0 ] || fail 'usher did not refuse the change'
echo 'tenants: passed'
