import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { baseAddressOutput, stackName } from '../../infra/core/stackNames.ts';
import type { Stage } from '../../infra/stageSchema.ts';
import { operationEntries } from '../../lib/operations.ts';
import { temporaryFolder } from './npmScript.ts';
import { production } from './templates.ts';

export const baseAddress = 'https://api.example.com/v1';
export const topic = 'arn:aws:sns:eu-central-1:111122223333:AlarmTopic';
export const key = 'ps_v1_staging_secret';

const valuesOfOutputs = { [baseAddressOutput]: baseAddress, AlarmTopicArn: topic };
const outputsOfStage = production.findOutputs('*');

/** Replaces each program that the script calls. It logs its call, its Region, and the input of curl. */
const fake = `#!/usr/bin/env bash
call="\${0##*/} $*"
[[ $call == curl* ]] && call="$call < $(tr '\\n' ' ')"
[[ $call == npm*' smoke '* ]] && call="$call $PETSTORE_API_KEY"
echo "$call" >>calls
echo "$AWS_REGION $AWS_DEFAULT_REGION" >>regions
case $call in
  'aws cloudformation describe-stacks'*)
    [ "$STACK_ERROR" ] && { echo "An error occurred: $STACK_ERROR" >&2; exit 254; }
    printf '%s\t%s\n' $STACK_STATUS "$ADDRESS" ;;
  'aws cloudformation get-template'*) cat "$TEMPLATES/$4.json" ;;
  # AWS prints None for a table without an index.
  'aws dynamodb describe-table'*-Pets' '*) printf "$INDEXES\\n" ;;
  'aws dynamodb describe-table'*) printf "$OTHER_INDEXES\\n" ;;
  'npx cdk synth'*) mkdir cdk.out ;;
  *check:update*) exit "$CHECK" ;;
  *'keys -- create'*) printf 'API key  ${key}\\nID       key_1\\n' ;;
  sleep*) exit 1 ;;
  'npx cdk deploy'*)
    echo "$OUTPUTS" >cdk.out/outputs.json
    for _ in {1..99}; do grep -q "$AWAITED" calls && break; /bin/sleep 0.1; done; /bin/sleep 0.1 ;;
  npm*' smoke '*) exit "$SMOKE" ;;
esac`;

/** `GET https://api.example.com/v1/pets/1` and so on, in order. A write has an id that no schema accepts. */
export const requests = operationEntries.map(([, { method, path }]) => {
  const id = method === 'GET' ? '1' : '~';
  return `${method} ${baseAddress}${path.replaceAll(/\{\w+\}/g, id)}`;
});

type Situation = {
  /** The status of the stack, or the error of CloudFormation. */
  stack?: { status: string } | { error: string };
  /** The exit codes of the check and the smoke test. */
  check?: number;
  smoke?: number;
  /** Whether the loop of requests ends before the deployment. */
  loopDies?: boolean;
  /** A text that replaces lib/operations.ts, and a part of its last request. */
  operations?: string;
  lastRequest?: string;
  /** The account of the stage, instead of the one in infra/stages.ts. */
  account?: Stage['account'];
  environment?: Record<string, string>;
};

/** Runs the script with fake programs, and returns the calls in order; repeated calls of curl count once. */
export async function runDeploy(args: string | string[], situation: Situation = {}) {
  const [stage = ''] = [args].flat();
  const { stack = { status: 'UPDATE_COMPLETE' }, account, environment } = situation;
  const { check = 0, smoke = 0, loopDies = false, operations } = situation;
  const { lastRequest = `${requests.at(-1)} ` } = situation;
  const isDeployed = 'status' in stack && stack.status === 'UPDATE_COMPLETE';
  const folder = await temporaryFolder();
  const write = (name: string, text: string, mode = 0o644) =>
    writeFileSync(join(folder, name), text, { mode });
  const settings = account && `export const settingsOf = () => (${JSON.stringify({ account })});`;
  for (const [file, text] of [
    ['lib/operations.ts', operations],
    ['infra/stages.ts', settings],
  ] as const) {
    if (text) {
      mkdirSync(join(folder, dirname(file)));
      write(file, text);
    } else {
      symlinkSync(resolve(dirname(file)), join(folder, dirname(file)));
    }
  }
  symlinkSync(resolve('tools'), join(folder, 'tools'));
  const outputs = Object.fromEntries(
    Object.entries(valuesOfOutputs).filter(([name]) => name in outputsOfStage),
  );
  for (const name of ['aws', 'curl', 'npm', 'npx', ...(loopDies ? ['sleep'] : [])]) {
    write(name, fake, 0o755);
  }
  for (const log of ['calls', 'regions']) write(log, '');

  const script = spawn(join(folder, 'tools/deploy.sh'), [args].flat(), {
    env: {
      PATH: [folder, dirname(process.execPath), process.env.PATH].join(delimiter),
      STACK_ERROR: 'error' in stack ? stack.error : '',
      STACK_STATUS: 'status' in stack ? stack.status : '',
      ADDRESS: isDeployed ? baseAddress : 'None',
      CHECK: String(check),
      SMOKE: String(smoke),
      TEMPLATES: resolve('infra/templates'),
      INDEXES: 'byStatus\\tACTIVE',
      OTHER_INDEXES: 'None',
      OUTPUTS: JSON.stringify({ [stackName(stage)]: outputs }),
      // The deployment ends after a round of requests, or after the death of their loop.
      AWAITED: isDeployed ? (loopDies ? '^sleep' : lastRequest) : '',
      ...environment,
    },
  });
  let output = '';
  for (const stream of [script.stdout, script.stderr])
    stream.on('data', (text) => (output += text));
  const [status] = await once(script, 'close');
  const logged = (log: string) => [
    ...new Set(readFileSync(join(folder, log), 'utf8').split('\n').slice(0, -1)),
  ];
  return { status, output, calls: logged('calls'), regions: logged('regions') };
}
