import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { DescribeLimitsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { accountStackName, type Stage, stages } from '../stages.ts';
import { defineCommand, print, runCommand, stageOption } from './command.ts';

/** Requests a second that Lambda takes for each unit of concurrency, however short they are. */
const requestsPerConcurrency = 10;

export const preflight = defineCommand('preflight')
  .addOption(stageOption(stages.map(({ name }) => name)))
  .addHelpText(
    'after',
    `
All stages with the same account.id in infra/stages.ts count, because they share the quotas. The
command changes nothing and needs your own AWS credentials and Region. The exit code is 0 if the
account carries the stage.`,
  )
  .action(async ({ stage: name }) => {
    const stage = stages.find((each) => each.name === name) as Stage;
    const problems = findProblems(stage, await readAccount());
    for (const problem of problems) print(problem);
    if (problems.length === 0) print(`The account carries the settings of ${name}.`);
    else process.exitCode = 1;
  });

type AccountLimits = Awaited<ReturnType<typeof readAccount>>;

async function readAccount() {
  const [lambda, gateway, dynamoDb] = await Promise.all([
    new LambdaClient().send(new GetAccountSettingsCommand()),
    new APIGatewayClient().send(new GetAccountCommand()),
    new DynamoDBClient().send(new DescribeLimitsCommand()),
  ]).catch((cause: Error) => {
    throw new Error(
      `The account cannot be read: ${cause.message}. Check your AWS credentials and Region.`,
      { cause },
    );
  });
  return {
    concurrency: lambda.AccountLimit?.UnreservedConcurrentExecutions ?? 0,
    requestsPerSecond: gateway.throttleSettings?.rateLimit ?? 0,
    burstRequests: gateway.throttleSettings?.burstLimit ?? 0,
    readUnits: dynamoDb.TableMaxReadCapacityUnits ?? 0,
    writeUnits: dynamoDb.TableMaxWriteCapacityUnits ?? 0,
    logRoleArn: gateway.cloudwatchRoleArn,
  };
}

function findProblems(stage: Stage, limits: AccountLimits): string[] {
  const sharing = stages.filter(({ account }) => account.id === stage.account.id);
  const sum = (name: keyof Stage['throttle']) =>
    sharing.reduce((total, { throttle }) => total + throttle[name], 0);
  const rate = sum('requestsPerSecond');
  const concurrency = Math.ceil(rate / requestsPerConcurrency);
  const { readUnits, writeUnits } = stage.tableCeiling;
  const throttles = `the throttle of ${sharing.map(({ name }) => name).join(' and ')}`;
  const ofRate = `${throttles}, ${rate} requests per second`;
  const ceiling = `the tableCeiling of ${stage.name}`;
  const quotas: [quota: string, limit: number, needed: number, setting: string][] = [
    ['Lambda, Concurrent executions', limits.concurrency, concurrency, ofRate],
    ['API Gateway, Throttle rate', limits.requestsPerSecond, rate, throttles],
    ['API Gateway, Throttle burst rate', limits.burstRequests, sum('burstRequests'), throttles],
    ['DynamoDB, Table-level read throughput limit', limits.readUnits, readUnits, ceiling],
    ['DynamoDB, Table-level write throughput limit', limits.writeUnits, writeUnits, ceiling],
  ];
  const tooSmall = quotas
    .filter(([, limit, needed]) => limit < needed)
    .map(
      ([quota, limit, needed, setting]) =>
        `${quota}: the quota is ${limit}, but ${setting} needs ${needed}. Lower the setting in infra/stages.ts, or raise the quota in Service Quotas.`,
    );
  return [...tooSmall, ...roleProblems(stage, limits)];
}

/** API Gateway refuses a stage with an access log while the account has no role for it. */
function roleProblems({ account }: Stage, { logRoleArn }: AccountLimits): string[] {
  if (account.hasApiGatewayLogRole && !logRoleArn) {
    return [
      `API Gateway has no role that writes logs. Set account.hasApiGatewayLogRole to false in infra/stages.ts: then ${accountStackName} adds one.`,
    ];
  }
  if (!account.hasApiGatewayLogRole && logRoleArn && !logRoleArn.includes(accountStackName)) {
    return [
      `API Gateway writes logs with ${logRoleArn}, which ${accountStackName} would replace. Set account.hasApiGatewayLogRole to true in infra/stages.ts.`,
    ];
  }
  return [];
}

if (import.meta.main) await runCommand(preflight);
