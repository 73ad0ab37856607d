#!/bin/sh
# Deletes accounts from many random schemas; the first that fails is shrunk and printed. .ci/deep/erasure.sh [SEEDS [FIRST]]
set -eu
cd "$(dirname "$0")/../.."
export ERASURE_SEEDS="${1:-2000}" ERASURE_SEED="${2:-1}"
USHER_DEEP=all swift test --filter 'RandomErasureTests|AccountModelTests'
