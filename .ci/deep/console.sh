#!/usr/bin/env bash
# Tests a long console session and the installed completions, and compares their response times with psql and pgcli.
set -euo pipefail
cd "$(dirname "$0")/../.."

step() { printf '\n== %s\n' "$1"; }

step 'a long session, and the installed completions of bash, zsh and fish'
USHER_DEEP=1 swift test --filter 'LongSessionTests|ShellCompletionTests|ConsoleTests|ConsoleInterruptTests'

step 'response times'
swift build -c release --static-swift-stdlib --product usher --scratch-path .build/rel
# Compares with pgcli if it can be installed.
if ! command -v pgcli >/dev/null; then
    python3 -m venv .build/pgcli 2>/dev/null && .build/pgcli/bin/pip install -q pgcli ||
        echo 'pgcli cannot be installed; comparing only with psql' >&2
fi
# A missed target does not fail this script, because timings depend on the machine.
PATH=$PATH:$PWD/.build/pgcli/bin Tests/Benchmarks/run start: --program .build/rel/release/usher || [ $? -eq 1 ]
