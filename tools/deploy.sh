#!/usr/bin/env bash
# Deploys a stage while it sends requests to the canaries, and then runs the smoke test.
set -euo pipefail
cd "$(dirname "$0")/.."
usage='npm run deploy -- <stage> [--direct]

Deploys a stage of infra/stages.ts, sends requests to the canaries meanwhile, and then runs the smoke test. It
needs AWS credentials, bash and version 2 of the AWS CLI. AWS_REGION counts only if the settings name no Region.

  --direct  CloudFormation moves each alias to the new version itself, at once, from wherever the alias is. No
            hook and no canary tries the version first.'

fail() {
  echo "$1" >&2
  exit 1
}

# Prints the status of the stack and its base address, or nothing if there is no stack.
describe_stack() {
  local response
  if response=$(aws cloudformation describe-stacks --stack-name "$stack" --output text \
    --query "Stacks[0].[StackStatus, Outputs[?OutputKey=='BaseAddress'].OutputValue | [0]]" 2>&1); then
    echo "$response"
  elif [[ $response != *'does not exist'* ]]; then
    echo "$response" >&2
    return 1
  fi
}

# Fails while an index is not active, because its table accepts no update, or if the deployed template lacks it,
# because a rollback leaves a new index behind.
check_indexes() {
  local tables table known described index status
  tables=$(node --eval "
    for (const { Type, Properties } of Object.values(require('$work/deployed.json').Resources))
      if (Type === 'AWS::DynamoDB::Table')
        console.log(Properties.TableName, ...(Properties.GlobalSecondaryIndexes ?? []).map((each) => each.IndexName));")
  while read -r table known; do
    described=$(aws dynamodb describe-table --table-name "$table" --output text \
      --query 'Table.GlobalSecondaryIndexes[].[IndexName, IndexStatus]')
    while read -r index status; do
      [ "$index" != None ] || continue # The table has no index.
      if [[ " $known " != *" $index "* && $status != DELETING ]]; then
        fail "A rollback left the index $index of $table, which the deployed template lacks. Delete it first:
  aws dynamodb update-table --table-name $table --global-secondary-index-updates '[{\"Delete\":{\"IndexName\":\"$index\"}}]'"
      fi
      [ "$status" = ACTIVE ] ||
        fail "The index $index of $table is $status, and the table accepts no update until it is ACTIVE or gone. Wait for that."
    done <<<"$described"
  done <<<"$tables"
}

# Issues an API key for this run, so no key is stored.
issue_key() {
  local issued name="deployment ${GITHUB_RUN_ID:-by hand}"
  issued=$(npm run --silent keys -- create --stage "$stage" --name "$name" --expires-in-days 1) || return
  api_key=$(sed -n 's/^API key *//p' <<<"$issued")
  key_id=$(sed -n 's/^ID *//p' <<<"$issued")
  if [ "${GITHUB_ACTIONS-}" ]; then echo "::add-mask::$api_key"; fi
}

# Prints a request for each operation: its method, its path, `key` or `none`, and its body. A write has the
# API key only if a schema refuses its id or its body. So no request changes data.
list_requests() {
  node --eval "import('./lib/operations.ts').then(({ operations }) => {
    for (const { method, path, input } of Object.values(operations)) {
      const isRead = method === 'GET';
      const id = isRead ? '1' : '~';
      const ids = Object.fromEntries(path.matchAll(/(?<={)\w+(?=})/g).map(([name]) => [name, id]));
      const isRefused = [input.path?.safeParse(ids), input.body?.safeParse({})]
        .some((parsed) => parsed?.success === false);
      const key = isRead || isRefused ? 'key' : 'none';
      console.log(method, path.replace(/{\w+}/g, id), key, input.body ? '{}' : '');
    }
  })"
}

# Sends a request. A stage that lacks the operation responds 404 or 405, which harms nothing. curl reads
# the key from its input, because a list of processes shows arguments.
send_request() {
  local method path key body
  read -r method path key body <<<"$1"
  {
    if [ "$key" = key ]; then echo "header = \"Authorization: Bearer $api_key\""; fi
    if [[ $body ]]; then echo "json = \"$body\""; fi
  } | curl --silent --max-time 10 --request "$method" "$base_url$path" --config - --output /dev/null || true
}

# A canary without traffic proves nothing.
send_requests() {
  local request
  while sleep 0.2; do
    while read -r request; do
      send_request "$request"
    done <<<"$requests"
  done
}

stop_requests() {
  [ -z "$requests_pid" ] || kill "$requests_pid" ||
    echo 'The requests ended early: the canaries may have had too few.'
  requests_pid=''
}

revoke_key() {
  [ -z "$key_id" ] || npm run --silent keys -- revoke --stage "$stage" --id "$key_id"
}

context=()
[ -z "${npm_config_direct-}" ] || fail 'npm took --direct for itself. Put -- before the stage.'
case "$# ${*: -1}" in
  '1 -h' | '1 --help') echo "$usage" && exit ;;
  '2 --direct') context=(-c direct=true) ;;
  '1 '[!-]*) ;;
  *) echo "$usage" >&2 && exit 2 ;;
esac
stage=$1 stack=PetStore-$1
api_key='' key_id='' requests='' requests_pid=''
settings=$(node --eval "import('./infra/stages.ts').then(({ settingsOf }) => {
  const { isDurable, account: { region = 'any' } } = settingsOf(process.argv[1]);
  console.log(isDurable, region);
}).catch(({ message }) => { console.error(message); process.exit(2); })" -- "$stage")
read -r is_durable region <<<"$settings"
# The CDK deploys to the Region of the settings, so all checks must look there.
if [ "$region" != any ]; then export AWS_REGION=$region AWS_DEFAULT_REGION=$region; fi

trap 'stop_requests; revoke_key; rm -rf "${work-}"' EXIT
stack_description=$(describe_stack)
read -r status base_url <<<"$stack_description"
case $status in
  # The CDK replaces a stack whose creation never succeeded.
  '' | REVIEW_IN_PROGRESS | ROLLBACK_COMPLETE | ROLLBACK_FAILED) has_stack=false ;;
  DELETE_IN_PROGRESS) fail "The stack is being deleted. First wait for its end with:
  aws cloudformation wait stack-delete-complete --stack-name $stack" ;;
  *) has_stack=true ;;
esac
work=$(mktemp -d)
if [ $has_stack = true ]; then
  aws cloudformation get-template --stack-name "$stack" --query TemplateBody --output json >"$work/deployed.json"
  check_indexes
fi
npx cdk synth "$stack" ${context[@]+"${context[@]}"} --quiet --no-notices
if [ $has_stack = true ]; then
  # Fails if AWS would refuse the update, or if it breaks a version that still runs.
  npm run --silent check:update -- "$work/deployed.json" "cdk.out/$stack.template.json"
else
  echo "There is no stack $stack yet, so no version runs that the update could break."
fi
if [[ $base_url == https://* ]]; then
  issue_key || echo 'No API key: the canaries only get requests without one.'
  requests=$(list_requests)
  send_requests &
  requests_pid=$!
fi
npx cdk deploy "$stack" --app cdk.out --require-approval never --no-notices --outputs-file cdk.out/outputs.json
stop_requests

read -r address topic < <(node --eval "
  const { BaseAddress, AlarmTopicArn = 'none' } = require('./cdk.out/outputs.json')['$stack'];
  console.log(BaseAddress, AlarmTopicArn);")
# Clients of a durable stage must never see the pets of a smoke test.
options=''
if [ "$is_durable" = true ]; then options=--read-only; fi
[ -n "$key_id" ] || issue_key
PETSTORE_API_KEY=$api_key npm run --silent smoke -- --base-url "$address" ${options:+"$options"} || {
  case $? in # as npm run smoke -- --help says
    1) verdict='breaks a promise' ;;
    3) verdict='is not judged: the database failed, and every failure is a 503' ;;
    *) verdict='is not judged: the test could not run' ;;
  esac
  run=${GITHUB_RUN_ID:+: $GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID}
  [ "$topic" = none ] || aws sns publish --topic-arn "$topic" --subject "The smoke test of $stage failed" \
    --message "The new version has all traffic, and $verdict$run. Urgent: respond now. Runbook: docs/runbook.md#smoke-test-failed"
  exit 1
}
