#!/usr/bin/env bash
# Compares a deployed stage with what only AWS can show. A failed command is a wrong result, so nothing stops it, and
# no right result is empty. It runs in bash 3.2 and with an old curl.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
usage='npm run check:deployed -- <stage>

Sends requests that add nothing, and looks at tables, metrics, alarms and subscriptions of a stage. Prints a line for
each, and exits with 1 if one differs. Metrics need requests, and arrive up to 15 minutes later: then run it again.

Needs AWS credentials, bash, curl and version 2 of the AWS CLI. PETSTORE_API_KEY is a valid key of the stage.'
case "$# ${*: -1}" in
  '1 -h' | '1 --help') echo "$usage" && exit ;;
  '1 '[!-]*) ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac
key=${PETSTORE_API_KEY:?is missing}
# shellcheck disable=SC1091 # shellcheck reads this file anyway.
source tools/shell.sh "$1" || exit
: "${BASE_URL:?is unknown, because AWS does not tell the outputs of $STACK}"
# What the settings and the template say decides what is checked.
expected=$(npx node tools/describeStage.ts "$STAGE") || exit
eval "$expected"

failed=0
# Compares a result with a pattern: expect 'a large body' '413' "$result"
expect() {
  local result=${3//[[:space:]]/ }
  result=${result:-nothing}
  if [[ $result =~ ^($2)$ ]]; then
    echo "ok     $1: $result"
  else
    echo "WRONG  $1: expected $2, got: $result"
    failed=1
  fi
}
# The settings of the user's own .curlrc would change results.
request() { curl -q --silent --max-time 30 "$@"; }
status() { request --output /dev/null --write-out '%{http_code}' "$@"; }

expect 'a body of 7 MB' 413 "$(head -c 7000000 /dev/zero | tr '\0' a |
  status --header 'Content-Type: application/json' --data-binary @- "$BASE_URL/pets")"
# Which of the two messages is up to API Gateway, which may replace the byte that is not UTF-8.
expect 'a body that is not UTF-8' '.*"message":"The body must be (a JSON object|JSON in UTF-8).*' "$(
  printf '["R\351x"]' | request --config <(echo "header = \"Authorization: Bearer $key\"") \
    --header 'Content-Type: application/json' --data-binary @- "$BASE_URL/pets"
)"
if [ "$ORIGIN" ]; then
  expect "a preflight from $ORIGIN" "204 $ORIGIN" "$(
    request --output /dev/null --dump-header - --request OPTIONS --header "Origin: $ORIGIN" "$BASE_URL/pets" |
      tr -d '\r' | awk 'NR == 1 || tolower($1) == "access-control-allow-origin:" { print $2 }'
  )"
fi
if [ "$HAS_FIREWALL" ]; then
  headers=()
  for each in {1..205}; do headers+=(--header "X-$each: 1"); done
  expect 'more than 200 headers, which the firewall refuses' 429 "$(status "${headers[@]}" "$BASE_URL/pets")"
fi
if [ "$HAS_ACCESS_LOG" ]; then
  expect 'requests of the last hour with a 5xx, in the access log' 'Complete( count\(\*\)=0)?' \
    "$(query_logs "$ACCESS" 'filter status like /^5/ | stats count(*)')"
fi
[ "$EXPECTED_TABLES" ] || echo 'The tables of a sandbox are not compared, because infra/templates has none of them.'
while read -r table properties; do
  [ "$table" ] || break
  expect "the table $table" "$properties" "protection $(aws dynamodb describe-table --table-name "$table" \
    --query 'Table.DeletionProtectionEnabled') ceilings $(aws dynamodb describe-table --table-name "$table" --query \
    '[Table, Table.GlobalSecondaryIndexes][].OnDemandThroughput.[MaxReadRequestUnits, MaxWriteRequestUnits]'
  ) recovery $(aws dynamodb describe-continuous-backups --table-name "$table" --query \
    ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus
  ) time to live $(aws dynamodb describe-time-to-live --table-name "$table" --query \
    'TimeToLiveDescription.[TimeToLiveStatus, AttributeName]')"
done <<<"$EXPECTED_TABLES"
if [ "$HAS_ALARMS" ]; then
  # Alarms on DynamoDB may keep their first state until DynamoDB has data, which needs requests. With text, the AWS
  # CLI would print a count for each page.
  expect 'alarms without data, except those on DynamoDB' 0 "$(aws cloudwatch describe-alarms --output json \
    --alarm-name-prefix "$STACK-" --state-value INSUFFICIENT_DATA --query \
    "length(MetricAlarms[?!contains(not_null(Metrics, \`[]\`)[].MetricStat.Metric.Namespace, 'AWS/DynamoDB')])")"
  expect 'metrics of the access log' 'FailedRequests RefusedRequests ValidRequests' "$(aws cloudwatch \
    list-metrics --namespace "PetStore/$STAGE" --query 'sort(Metrics[].MetricName)')"
  # Without a recipient in the settings, any number is right.
  expect 'confirmed subscriptions of each topic' "$SUBSCRIPTIONS" "$(
    for topic in $(resources_of_type AWS::SNS::Topic); do
      aws sns get-topic-attributes --topic-arn "$topic" --query Attributes.SubscriptionsConfirmed
    done
  )"
fi
exit $failed
