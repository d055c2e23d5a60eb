# shellcheck shell=bash
# The shell of docs/runbook.md, in the project's folder: source tools/shell.sh v1-production

export STAGE=$1 STACK=PetStore-$1 TABLE=PetStore-$1-Pets
# All commands must go to the Region that a deployment goes to.
AWS_REGION=$(npx node --eval "Promise.all([import('./infra/stages.ts'), import('./tools/useStage.ts')])
  .then(([{ stageOrSandbox }, { useRegion }]) => useRegion(stageOrSandbox('$STAGE')))
  .then(console.log, ({ message }) => { console.error(message); process.exit(1); })") || return
export AWS_REGION AWS_DEFAULT_OUTPUT=text AWS_PAGER=

# Prints an output of the stack: output BaseAddress
output() {
  aws cloudformation describe-stacks --stack-name "$STACK" \
    --query "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"
}

# Prints the names of all resources of a type: resources_of_type AWS::Lambda::Version
resources_of_type() {
  aws cloudformation list-stack-resources --stack-name "$STACK" \
    --query "StackResourceSummaries[?ResourceType=='$1'].[PhysicalResourceId]"
}

# Runs a query on logs. It reads the last hour, or as many hours as the third argument says.
query_logs() {
  local id
  # shellcheck disable=SC2086 # The names of several logs.
  id=$(aws logs start-query --log-group-names $1 --query-string "$2" --query queryId \
    --start-time $(($(date +%s) - ${3:-1} * 3600)) --end-time "$(date +%s)") || return
  while aws logs get-query-results --query-id "$id" --query status | grep -qE 'Scheduled|Running'; do
    sleep 1
  done
  aws logs get-query-results --query-id "$id" \
    --query "[status, results[*].[join('  ', map(&join('=', [field, value]), [?field != '@ptr']))]]"
}

# Replaces the addresses that the firewall blocks.
set_blocked_addresses() {
  local name=$STACK-BlockedAddresses id token
  id=$(aws wafv2 list-ip-sets --scope REGIONAL --query "IPSets[?Name=='$name'].Id") &&
    token=$(aws wafv2 get-ip-set --scope REGIONAL --name "$name" --id "$id" --query LockToken) &&
    aws wafv2 update-ip-set --scope REGIONAL --name "$name" --id "$id" --lock-token "$token" --addresses "$@"
}

# Blocks more addresses or networks: block_addresses 198.51.100.7/32 203.0.113.0/24
block_addresses() {
  local name=$STACK-BlockedAddresses id present
  # shellcheck disable=SC2086 # Several addresses.
  id=$(aws wafv2 list-ip-sets --scope REGIONAL --query "IPSets[?Name=='$name'].Id") &&
    present=$(aws wafv2 get-ip-set --scope REGIONAL --name "$name" --id "$id" --query IPSet.Addresses) &&
    set_blocked_addresses $present "$@"
}

BASE_ADDRESS=$(output BaseAddress)
LOGS=$(resources_of_type AWS::Logs::LogGroup)
ACCESS=$(grep -- -AccessLog <<<"$LOGS")
FUNCTIONS=$(grep -v -- -AccessLog <<<"$LOGS")
export BASE_ADDRESS ACCESS FUNCTIONS
