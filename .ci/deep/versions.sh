#!/usr/bin/env bash
# The suites on every version that is supported: this machine's own, and those of other systems.
#
# Usage: .ci/deep/versions.sh [FILTER [VERSION…]]    FILTER as `swift test` takes it; all tests if it is empty
set -euo pipefail
cd "$(dirname "$0")/../.."

export USHER_DEEP=all
tests=(swift test --skip-build)
[ -z "${1:-}" ] || tests=(swift test --skip-build --filter "$1")
[ $# -eq 0 ] || shift
others=$(.ci/deep/servers "$@")
[ $# -gt 0 ] || others+=" $(printf '%s\n' /usr/lib/postgresql/*/bin)"

swift build --build-tests
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
for bin in $others; do
    "$bin/postgres" --version
    USHER_PG_BIN=$bin "${tests[@]}" >"$log" 2>&1 || failed=1
    grep 'recorded an issue' "$log" || true
    grep '^. Test run with' "$log" || failed=1
done
exit $failed
