#!/usr/bin/env bash
# Finding users among many, on a private Postgres: by address against by id, and searches against psql's indexed query.
# Medians of what client and server spend of the processor, taken in turn, and their ratios; none may grow with the users.
#
# Usage: Tests/Benchmarks/lookups.sh [RUNS [USERS…]]    with a release build; USHER names another binary
set -euo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-9}
sizes=("${@:2}")
[ ${#sizes[@]} -gt 0 ] || sizes=(200000 1000000)
usher=${USHER:-.build/release/usher}
[ -x "$usher" ] || { echo "$usher is missing; run swift build -c release --static-swift-stdlib" >&2; exit 1; }
psql=$(ls /usr/lib/postgresql/*/bin/psql | tail -n 1)
demo=$("$usher" demo impulse --keep --json -q --no-input </dev/null)
field() { printf '%s\n' "$demo" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
trap '"$usher" demo --stop "$(field folder)" >/dev/null' EXIT
db=$(field db)
sql() { "$psql" -XAtq "$db user=postgres" -v ON_ERROR_STOP=1 -c "$1"; }
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
ratio() { awk "BEGIN { printf \"%.2f\", $1 / ($2 > 0 ? $2 : 0.001) }"; }

# Milliseconds of the processor that a command spends, and the server's processes with it: those that live, and those that
# ended and were waited for. The postmaster gathers the latter.
postmaster=$(head -n 1 "$(field folder)/data/postmaster.pid")
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 + $14 + $15 }' "/proc/$postmaster/stat"; }
spent() {
    local before after child
    before=$(ticks)
    child=$({ TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1)
    sleep 0.02
    after=$(ticks)
    echo "$child" | awk -v server=$(((after - before) * 10)) '{ print ($1 + $2) * 1000 + server }'
}

# Two commands in turn, each several times a sample, since the server's clock ticks only every 10 ms.
several() { for _ in 1 2 3 4 5; do "$@" || true; done; }
compare() {
    local label=$1 ours=() theirs=()
    for _ in $(seq "$runs"); do
        ours+=("$(spent several "$2")")
        theirs+=("$(spent several "$3")")
    done
    local a b
    a=$(printf '%s\n' "${ours[@]}" | median)
    b=$(printf '%s\n' "${theirs[@]}" | median)
    printf '%9d users  %-34s %7.1f ms  %7.1f ms  %5s\n' "$users" "$label" "$(ratio "$a" 5)" "$(ratio "$b" 5)" "$(ratio "$a" "$b")"
}

sql "alter system set max_wal_size = '8GB'"
sql "alter system set autovacuum = off"
sql "select pg_reload_conf()" >/dev/null
sql "create extension if not exists pg_trgm"
sql "create index on public.profiles (lower(email) text_pattern_ops)"
sql "create index on auth.users (lower(email::text) text_pattern_ops)"
made=0
for users in "${sizes[@]}"; do
    # Without the triggers of a sign-up, which take most of the time.
    sql "
    set session_replication_role = replica;
    insert into auth.users (id, instance_id, email, raw_user_meta_data, is_sso_user)
    select md5('many' || n)::uuid, '00000000-0000-0000-0000-000000000000', 'many' || n || '@example.com',
           jsonb_build_object('full_name', 'Person ' || n), false
      from generate_series($made + 1, $users) n;
    insert into public.profiles (id, email, auth_provider, trial_started_at, trial_ends_at)
    select md5('many' || n)::uuid, 'many' || n || '@example.com', 'google', now(), now() + interval '7 days'
      from generate_series($made + 1, $users) n"
    made=$users
    sql "drop index if exists t1, public.t1, public.t2, auth.t3, auth.t4"
    sql "create index t1 on public.profiles using gin (lower(email) gin_trgm_ops)"
    sql "create index t2 on public.profiles using gin (lower(notification_email) gin_trgm_ops)"
    sql "create index t3 on auth.users using gin (lower(email::text) public.gin_trgm_ops)"
    sql "create index t4 on auth.users using gin (lower(raw_user_meta_data ->> 'full_name') public.gin_trgm_ops)"
    sql "vacuum analyze" && sql checkpoint
    number=$((users - 77))
    address="many$number@example.com"
    id=$(sql "select md5('many' || $number)::uuid")
    facts="select a.id, coalesce(p.email, a.email) as email, p.subscription_tier, p.subscription_status
             from auth.users a left join public.profiles p on p.id = a.id where a.id in ("
    near() { # The candidates of a condition on each column, as somebody who knows the indexes writes them.
        printf "%s select id from public.profiles where lower(email) $1 union all select id from public.profiles
                where lower(notification_email) $1 union all select id from auth.users where lower(email::text) $1
                union all select id from auth.users where lower(raw_user_meta_data ->> 'full_name') $1 limit 20)" "$facts"
    }
    show_address() { "$usher" -d "$db" --app impulse user show "$address"; }
    show_id() { "$usher" -d "$db" --app impulse user show "$id"; }
    find_exact() { "$usher" -d "$db" --app impulse user find "$address"; }
    find_prefix() { "$usher" -d "$db" --app impulse user find "many$number"; }
    find_nothing() { "$usher" -d "$db" --app impulse user find "nobody has it"; }
    psql_exact() {
        "$psql" -X "$db" -c "$facts select id from public.profiles where lower(email) = '$address' union all
            select id from public.profiles where lower(notification_email) = '$address' union all
            select id from auth.users where instance_id = '00000000-0000-0000-0000-000000000000' and lower(email::text) = '$address')"
    }
    psql_prefix() { "$psql" -X "$db" -c "$(near "like 'many$number%%'")"; }
    psql_nothing() { "$psql" -X "$db" -c "$(near "like '%%nobody has it%%'")"; }
    compare 'show by address / show by id' show_address show_id
    compare 'find an address / psql' find_exact psql_exact
    compare 'find a beginning / psql' find_prefix psql_prefix
    compare 'find nothing / psql' find_nothing psql_nothing
done
