#!/usr/bin/env bash
# Runs the tests, except for those of synthesised templates, against dynoxide. This engine responds more like
# DynamoDB than the embedded engine. Options of vitest follow a `--`.
set -euo pipefail
cd "$(dirname "$0")/.."

# npm installs the package only where the program runs.
program=node_modules/@dynoxide/linux-x64/dynoxide
[ -e $program ] || { .ci/skip 'dynoxide needs Linux on x64.'; exit; }

port=$(node --eval '
  net.createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port); this.close(); });
')
$program --port "$port" >/dev/null &
trap 'kill %1' EXIT
TEST_DYNAMODB_ENDPOINT=http://127.0.0.1:$port vitest run --project service --project slow "$@"
