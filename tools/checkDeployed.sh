#!/usr/bin/env bash
# Compares a deployed stage with what only AWS can show. A failed command is a wrong result, so nothing stops it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
usage='npm run check:deployed -- <stage>

Sends requests that add nothing, and looks at metrics, alarms and subscriptions of a stage. Prints a line for each,
and exits with 1 if one differs. Metrics need requests, and arrive up to 15 minutes later: then run it again.

Needs AWS credentials, bash, curl and version 2 of the AWS CLI. PETSTORE_API_KEY is a valid key of the stage.'
case "$# ${*: -1}" in
  '1 -h' | '1 --help') echo "$usage" && exit ;;
  '1 '[!-]*) ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac
key=${PETSTORE_API_KEY:?is missing}
# shellcheck disable=SC1091 # shellcheck reads this file anyway.
source tools/shell.sh "$1" || exit
# What the stack has decides what is checked.
types=$(aws cloudformation list-stack-resources --stack-name "$STACK" \
  --query 'StackResourceSummaries[].ResourceType') || exit

failed=0
# Compares a result with a pattern: expect 'a large body' '413' "$result"
expect() {
  local result=${3//[[:space:]]/ }
  result=${result:-none}
  if [[ $result =~ ^($2)$ ]]; then
    echo "ok     $1: $result"
  else
    echo "WRONG  $1: expected $2, got: $result"
    failed=1
  fi
}
status() { curl --silent --max-time 30 --output /dev/null --write-out '%{http_code}' "$@"; }

expect 'a body of 7 MB' 413 "$(head -c 7000000 /dev/zero | tr '\0' a |
  status --header 'Content-Type: application/json' --data-binary @- "$BASE_URL/pets")"
# Which of the two messages is up to API Gateway, which may replace the byte that is not UTF-8.
expect 'a body that is not UTF-8' '.*"message":".*(categoryId is missing|must be JSON in UTF-8).*' "$(
  printf '{"name": "R\351x"}' | curl --silent --config <(echo "header = \"Authorization: Bearer $key\"") \
    --header 'Content-Type: application/json' --data-binary @- "$BASE_URL/pets"
)"
expect '100 requests at once' '401 (401 )*429( 429)*' "$(seq 100 | xargs -P 50 -I{} \
  curl --silent --output /dev/null --write-out '%{http_code}\n' "$BASE_URL/none" | sort)"
read -r origin _ < <(aws lambda get-function-configuration --function-name "$(function_of fallback)" \
  --query 'Environment.Variables.CORS_ORIGINS')
if [ "$origin" != None ]; then
  expect "a preflight from $origin" "204 $origin" "$(curl --silent --output /dev/null --request OPTIONS \
    --header "Origin: $origin" --write-out '%{http_code} %header{access-control-allow-origin}' "$BASE_URL/pets")"
fi
if [[ $types == *AWS::WAFv2::WebACL* ]]; then
  mapfile -t headers < <(printf -- '--header\nX-%d: 1\n' {1..205})
  expect 'more than 200 headers, which the firewall refuses' 429 "$(status "${headers[@]}" "$BASE_URL/pets")"
fi
if [ "$ACCESS" ]; then
  expect 'requests of the last hour with a 5xx, in the access log' 'Complete( 0)?' \
    "$(query_logs "$ACCESS" 'filter status like /^5/ | stats count(*)')"
fi
if [[ $types == *AWS::SNS::Topic* ]]; then
  expect 'alarms without data' none "$(aws cloudwatch describe-alarms --alarm-name-prefix "$STACK-" \
    --state-value INSUFFICIENT_DATA --query 'MetricAlarms[].AlarmName')"
  expect 'metrics of the functions' '.*\bErrors\b.*' "$(aws cloudwatch list-metrics --namespace PetStore \
    --dimensions "Name=stage,Value=$STAGE" --query 'Metrics[].MetricName')"
  expect 'metrics of the access log' 'FailedRequests RefusedRequests ValidRequests' "$(aws cloudwatch \
    list-metrics --namespace "PetStore/$STAGE" --query 'sort(Metrics[].MetricName)')"
  queries=$(aws cloudwatch describe-alarms --alarm-names "$STACK-Functions-Concurrency" \
    --query 'MetricAlarms[0].Metrics' --output json)
  expect 'the used share of the concurrency' '[0-9.]+( [0-9.]+)*' "$(aws cloudwatch get-metric-data \
    --start-time $(($(date +%s) - 3600)) --end-time "$(date +%s)" --metric-data-queries "$queries" \
    --query 'MetricDataResults[].Values[]')"
  expect 'subscriptions without confirmation' none "$(aws sns list-subscriptions --query \
    "Subscriptions[?contains(TopicArn, '$STACK') && SubscriptionArn == 'PendingConfirmation'].[Endpoint]")"
fi
exit $failed
