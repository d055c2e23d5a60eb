import { json, text } from 'node:stream/consumers';
import { afterAll, expect } from 'vitest';
import { apiKeyDigest, isApiKeyValid } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { listApiKeys } from '../../tools/apiKeyRegistry.ts';
import { registry } from './api.ts';
import { listen } from './listen.ts';

// A fake AWS in front of the embedded database, and a CDK and a smoke test that only say how they were called.

export const { stage: name, tableNames } = config();
export const service = `PetStore-${name}`;
export const alarm = `${service}-Any`;

/** What the next run meets. */
export const state = {
  settings: { isDurable: true, account: { id: '111122223333', region: 'eu-west-1' } as object },
  /** The outputs of the stack, or the error that AWS responds. */
  outputs: {} as Record<string, string> | 'AccessDenied' | 'ValidationError',
  /** The state of the alarm, or the error that AWS responds. Absent: the alarm is gone. */
  alarm: undefined as string | undefined,
  /** The states of the index, one for each look at it. The last one stays. */
  index: [] as string[],
  /** How programs end whose calls begin so. Default: with 0. */
  ends: {} as Record<string, number | 'Ctrl+C'>,
};

/** What the last run called, in its order. */
export const calls: string[] = [];
export const regions = new Set<string | undefined>();
export const assemblies = new Set<string>();

/** Runs at the start of each program, and ends it. */
export const program = `
  const { argv, env } = process;
  const body = JSON.stringify({ argv, region: env.AWS_REGION, apiKey: env.PETSTORE_API_KEY });
  const response = await fetch(env.AWS_ENDPOINT_URL, { method: 'PUT', body });
  process.exit(Number(await response.text()));`;

type Program = { argv: string[]; region?: string; apiKey?: string };

/** Returns the exit code of a program. */
async function endProgram({ argv: [, file = '', ...args], region, apiKey }: Program) {
  regions.add(region);
  const assembly = args.find((arg) => arg.startsWith('/'));
  if (assembly) assemblies.add(assembly);
  const called = file.includes('/aws-cdk/') ? 'cdk' : file.replace(/.*\//, '');
  const call = [called, ...args.map((arg) => (arg === assembly ? 'ASSEMBLY' : arg))].join(' ');
  calls.push(call);
  if (apiKey) expect(await validKeys()).toEqual([apiKeyDigest(apiKey)]);
  const end = Object.entries(state.ends).find(([start]) => call.startsWith(start))?.[1] ?? 0;
  if (end !== 'Ctrl+C') return String(end);
  process.emit('SIGINT');
  return new Promise<never>(() => {});
}

export const validKeys = async () =>
  (await listApiKeys(registry))
    .filter((key) => isApiKeyValid(key) && key.name === 'npm run deploy')
    .map(({ digest }) => digest);

const xml = (action: string, result: string) =>
  `<${action}Response><${action}Result>${result}</${action}Result></${action}Response>`;

/** Responds as AWS does. */
function respond(action: string, input: Record<string, string>): string | object {
  switch (action) {
    case 'GetCallerIdentity':
      calls.push(action);
      return xml(action, '<Account>111122223333</Account>');
    case 'DescribeStacks': {
      calls.push(`${action} ${input.StackName}`);
      if (typeof state.outputs === 'string') throw state.outputs;
      const outputs = Object.entries(state.outputs).map(
        ([key, value]) =>
          `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
      );
      return xml(
        action,
        `<Stacks><member><Outputs>${outputs.join('')}</Outputs></member></Stacks>`,
      );
    }
    case 'DescribeAlarms':
      calls.push(`${action} ${input.AlarmNames}`);
      if (state.alarm === 'AccessDenied') throw state.alarm;
      return { MetricAlarms: state.alarm ? [{ StateValue: state.alarm }] : [] };
    case 'DescribeTable': {
      calls.push(`${action} ${input.TableName}`);
      if (input.TableName !== tableNames.pets) return { Table: {} };
      const IndexStatus = state.index.length > 1 ? state.index.shift() : state.index[0];
      return { Table: { GlobalSecondaryIndexes: [{ IndexName: 'byStatus', IndexStatus }] } };
    }
    default:
      throw new Error(`Nothing here responds to ${action}.`);
  }
}

export const AWS_ENDPOINT_URL = await listen(async (request, response) => {
  if (request.method === 'PUT') {
    response.end(await endProgram((await json(request)) as Program));
    return;
  }
  regions.add(/Credential=[^/]+\/\d+\/([^/]+)/.exec(request.headers.authorization ?? '')?.[1]);
  const body = await text(request);
  const [, target] = String(request.headers['x-amz-target'] ?? '').split('.');
  const input = target ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
  try {
    const result = respond(target ?? input.Action, input);
    response.end(typeof result === 'string' ? result : JSON.stringify(result));
  } catch (code) {
    response.statusCode = 400;
    const Message = code === 'ValidationError' ? `${service} does not exist` : 'No.';
    const error = `<Error><Code>${code}</Code><Message>${Message}</Message></Error>`;
    response.end(
      target
        ? JSON.stringify({ __type: code, message: Message })
        : `<ErrorResponse>${error}</ErrorResponse>`,
    );
  }
}, afterAll);
