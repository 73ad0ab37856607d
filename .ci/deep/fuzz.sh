#!/bin/sh
# Searches for input that crashes the parsers of app files, command lines, connection strings and archives, or the functions that
# print values on a screen.
#
# Usage: .ci/deep/fuzz.sh [SECONDS [SUBJECT…]]    300 seconds for each SUBJECT: appfile, words, values, archive (default: all)
set -eu
cd "$(dirname "$0")/../.."
seconds=${1:-300}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- appfile words values archive

swift build -c release --sanitize=fuzzer -Xswiftc -DFUZZING --product fuzz --scratch-path .build/fuzz

work=$(mktemp -d)
cat >"$work/dictionary" <<'WORDS'
"-- @app "
"-- @requires "
"-- @include "
"-- @users"
"-- @key "
"-- @email "
"-- @select "
"-- @object "
"-- @define "
"-- @panel "
"-- @columns "
"-- @limit "
"-- @order "
"-- @explains "
"-- @timeline "
"-- @decision "
"-- @per "
"-- @assume "
"-- @rule "
"-- @advice "
"-- @shows "
"-- @quota "
"\x0a--   "
"true;"
" from "
" with x as ("
" using ("
"U&\""
"E'"
"$a$"
":now"
":user"
WORDS

for subject; do
    mkdir "$work/$subject" "$work/$subject-found"
    case $subject in
    appfile) cp sql/apps/*.sql sql/platform/*.sql "$work/$subject" ;;
    words)
        echo "user why 'ann lee' --assume tier=gold --at 2026-01-01T00:00:00Z # done" >"$work/$subject/line"
        echo "postgresql://ann:secret@[::1]:5432/app?sslmode=no-verify&pgbouncer=true" >"$work/$subject/uri"
        ;;
    values)
        printf '{"a": [1e400, -0.5, "\\u001b[31m"], "b": null}' >"$work/$subject/json"
        printf 'ann\t\033[31m\342\200\256 \360\237\230\200\r\n' >"$work/$subject/text"
        ;;
    archive) printf '"operation":"x"}\n["a",null]\n{"ends":true' >"$work/$subject/small" ;;
    esac
done

# Runs one fuzzer on each core.
status=0
printf '%s\n' "$@" | SWIFT_BACKTRACE=enable=no xargs -P "$(nproc)" -I SUBJECT sh -c '
    FUZZ=SUBJECT .build/fuzz/release/fuzz -max_total_time="$1" -timeout=10 -rss_limit_mb=2048 -dict="$2/dictionary" \
        -artifact_prefix="$2/SUBJECT-found/" -print_final_stats=1 "$2/SUBJECT" >"$2/SUBJECT-said" 2>&1' - "$seconds" "$work" || status=1
for subject; do
    printf '== %s\n' "$subject"
    tail -n 20 "$work/$subject-said"
done
if [ "$status" -eq 0 ]; then
    rm -r "$work"
else
    echo "the inputs that failed are in $work" >&2
fi
exit "$status"
