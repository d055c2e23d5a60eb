import { describe, expect, it, vi } from 'vitest';
import { type Account, type Stage, stages } from '../../infra/stages.ts';
import { preflight } from '../../infra/tools/preflight.ts';
import { listen } from '../helpers/listen.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

const roleArn = 'arn:aws:iam::111122223333:role/logs';

type Limits = {
  concurrency?: number;
  rateLimit?: number;
  burstLimit?: number;
  readUnits?: number;
  writeUnits?: number;
  roleArn?: string | undefined;
};

/** Fakes Lambda, API Gateway and DynamoDB, as far as they tell the limits of an account. */
async function fakeAccount(limits: Limits, status = 200): Promise<Record<string, string>> {
  const endpoint = await listen((request, response) => {
    const { concurrency = 1_000, rateLimit = 10_000, burstLimit = 5_000 } = limits;
    const { readUnits = 40_000, writeUnits = 40_000 } = limits;
    const isDynamoDb = String(request.headers['x-amz-target']).endsWith('.DescribeLimits');
    const bodies: Record<string, object> = {
      '/2016-08-19/account-settings': {
        AccountLimit: {
          ConcurrentExecutions: concurrency,
          UnreservedConcurrentExecutions: concurrency,
        },
      },
      '/account': {
        throttleSettings: { rateLimit, burstLimit },
        cloudwatchRoleArn: 'roleArn' in limits ? limits.roleArn : roleArn,
      },
      '/': isDynamoDb
        ? { TableMaxReadCapacityUnits: readUnits, TableMaxWriteCapacityUnits: writeUnits }
        : {},
    };
    const path = (request.url ?? '').replace(/(?<=.)\/$/, '');
    response.writeHead(bodies[path] ? status : 404, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(bodies[path] ?? {}));
  });
  return {
    AWS_ENDPOINT_URL_LAMBDA: endpoint,
    AWS_ENDPOINT_URL_API_GATEWAY: endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  };
}

const [production] = stages as [Stage];

async function check(limits: Limits, stage: string = production.name) {
  return runCommandHere(preflight, ['--stage', stage], await fakeAccount(limits));
}

describe('npm run preflight', () => {
  it('passes if the quotas carry every setting', async () => {
    const { exitCode, stdout } = await check({});

    expect(stdout).toBe('The account carries the settings of v1-production.\n');
    expect(exitCode).toBe(0);
  });

  it('names the concurrency of a new account, which cannot carry the throttles that share it', async () => {
    const { exitCode, stdout } = await check({ concurrency: 10 });

    expect(stdout).toBe(
      'Lambda, Concurrent executions: the quota is 10, but the throttle of v1-production and v1-staging, 650 requests per second needs 65. Lower the setting in infra/stages.ts, or raise the quota in Service Quotas.\n',
    );
    expect(exitCode).toBe(1);
  });

  it.each<[quota: string, limits: Limits, needed: number]>([
    ['API Gateway, Throttle rate', { rateLimit: 649 }, 650],
    ['API Gateway, Throttle burst rate', { burstLimit: 1_899 }, 1_900],
    ['DynamoDB, Table-level read throughput limit', { readUnits: 5_999 }, 6_000],
    ['DynamoDB, Table-level write throughput limit', { writeUnits: 1_999 }, 2_000],
  ])('names the quota %s if it is one too small', async (quota, limits, needed) => {
    const { exitCode, stdout } = await check(limits);

    expect(stdout.split('\n')).toHaveLength(2);
    expect(stdout).toContain(`${quota}: the quota is ${needed - 1}, but `);
    expect(stdout).toContain(`needs ${needed}.`);
    expect(exitCode).toBe(1);
  });

  it.each<[condition: string, account: Account, roleArn: string | undefined, value: string]>([
    ['there is none, and none is added', { hasApiGatewayLogRole: true }, undefined, 'false'],
    [
      'the account has one that would be replaced',
      { hasApiGatewayLogRole: false },
      roleArn,
      'true',
    ],
  ])('reports the role of API Gateway if %s', async (_, account, roleArn, value) => {
    vi.spyOn(production, 'account', 'get').mockReturnValue(account);

    const { exitCode, stdout } = await check({ roleArn });

    expect(stdout).toContain(`Set account.hasApiGatewayLogRole to ${value} in infra/stages.ts`);
    expect(exitCode).toBe(1);
  });

  it('says that the account cannot be read without permission', async () => {
    const environment = await fakeAccount({}, 403);

    const { exitCode, stderr } = await runCommandHere(
      preflight,
      ['--stage', 'v1-staging'],
      environment,
    );

    expect(stderr).toMatch(
      /^The account cannot be read: .+ Check your AWS credentials and Region\./,
    );
    expect(exitCode).toBe(1);
  });
});
