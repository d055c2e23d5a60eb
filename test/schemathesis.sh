#!/usr/bin/env bash
# Runs Schemathesis, which generates requests from the OpenAPI document, against `npm start`. Its options
# follow a `--`.
set -euo pipefail
cd "$(dirname "$0")/.."
accepted=node_modules/.cache/openapi.accepted.json
log=$(mktemp)

python=$(.ci/installPython) || { .ci/skip 'Schemathesis needs Python 3.11 and PyPI.'; exit; }

# Not through npm, whose child would outlive the signal.
node tools/run.cjs tools/start.ts --in-memory --port 0 >"$log" &
trap 'kill %1; wait; rm "$log"' EXIT
until grep -q ps_local_ "$log"; do kill -0 %1; sleep 0.1; done
url=$(grep -om1 'http://localhost:[0-9]*/v1' "$log")
key=$(grep -om1 '"apiKey":"ps_local_[A-Za-z0-9]*' "$log" | cut -d '"' -f 4)

run() {
  "$python/schemathesis" run "$@" --url "$url" --header "Authorization: Bearer $key" --seed 1
}

# No schema says that the service issued a cursor, or that an Idempotency-Key is new. Without these two
# parameters, each valid request must succeed.
node -e '
  const document = JSON.parse(fs.readFileSync("openapi.json", "utf8"));
  for (const operation of Object.values(document.paths).flatMap(Object.values))
    operation.parameters = operation.parameters?.filter(
      ({ name }) => !["cursor", "Idempotency-Key"].includes(name));
  fs.writeFileSync(process.argv[1], JSON.stringify(document));
' $accepted
run openapi.json --checks all --exclude-checks positive_data_acceptance "$@"
run $accepted --checks positive_data_acceptance --mode positive "$@"
