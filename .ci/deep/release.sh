#!/bin/sh
# Builds and checks the release: the linked libraries, every demo, a connection, and the long suites.
#
# Usage: .ci/deep/release.sh [ARGUMENT…]    arguments for `swift test`
set -eu
cd "$(dirname "$0")/../.."
step() { printf '\n== %s\n' "$1"; }

step 'build'
swift build -c release --static-swift-stdlib --disable-local-rpath --product usher
usher=$PWD/.build/release/usher

step 'how the program is linked'
.ci/binary "$usher"

step 'every demo'
"$usher" app list -o name | xargs -n 1 -P "$(nproc)" "$usher" demo >/dev/null

step 'connect, doctor and app check on a kept demo'
demo=$("$usher" demo --keep --json -q)
field() { printf '%s\n' "$demo" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
services=$(mktemp)
trap '"$usher" demo --stop "$(field folder)"; rm -f "$services"' EXIT
PGHOST=$(field folder) PGUSER=operator PGDATABASE=impulse "$usher" doctor
PGSERVICEFILE=$services "$usher" -d "$(field db)" connect smoke
PGSERVICEFILE=$services "$usher" -d smoke doctor -o name >/dev/null
"$usher" -d "$(field db)" app check
trap - EXIT
"$usher" demo --stop "$(field folder)"
rm -f "$services"

step 'all tests, the long ones too'
USHER=$usher USHER_DEEP=all swift test "$@"
