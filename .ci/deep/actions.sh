#!/usr/bin/env bash
# Every action and test state of the shipped apps on their sample data: planned, run, undone, and undone again.
set -euo pipefail
cd "$(dirname "$0")/../.."
USHER_DEEP=1 swift test --filter AppActionTests
