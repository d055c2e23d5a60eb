import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { inject, onTestFinished } from 'vitest';
import { config } from '../../lib/config.ts';
import { describeStacksAnswer } from './describeStacksAnswer.ts';
import { listen } from './listen.ts';

type RestoreInput = { TargetTableName: string } & Record<string, unknown>;

/**
 * What a restore meets on AWS: a stack whose pets are this test file's own, and a DynamoDB that
 * restores. The embedded engine does all but the restore, which `restore` stands in for.
 *
 * Returns the environment for a script, and what it asked to be restored.
 */
export async function restoringAws(restore: (targetTable: string) => Promise<unknown>) {
  const restores: RestoreInput[] = [];
  const stacks = describeStacksAnswer('PetsTableName', config.petsTableName);
  const cloudFormation = await listen((_, response) => response.end(stacks));
  const dynamoDb = await listen(async (request, response) => {
    const body = await text(request);
    if (actionOf(request) === 'RestoreTableToPointInTime') {
      const input = JSON.parse(body) as RestoreInput;
      restores.push(input);
      await restore(input.TargetTableName);
      response.end('{}');
      return;
    }
    if (actionOf(request) === 'DescribeContinuousBackups') {
      response.end(restorableAtAnyTime);
      return;
    }
    const { host: _, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(inject('dynamoDbEndpoint'), { method: 'POST', headers, body });
    response.statusCode = answer.status;
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  // The next test may restore in the same second, and so to the same name.
  onTestFinished(() => deleteTables(restores.map(({ TargetTableName }) => TargetTableName)));
  const environment = {
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    AWS_ENDPOINT_URL_DYNAMODB: dynamoDb,
  };
  return { environment, restores };
}

async function deleteTables(tableNames: string[]): Promise<void> {
  const client = new DynamoDBClient({ endpoint: inject('dynamoDbEndpoint') });
  const patience = { client, maxWaitTime: 10, minDelay: 0.1, maxDelay: 1 };
  for (const TableName of tableNames) {
    // A drill has deleted its own.
    await client.send(new DeleteTableCommand({ TableName })).catch(() => {});
    await waitUntilTableNotExists(patience, { TableName });
  }
}

function actionOf({ headers }: IncomingMessage): string {
  return String(headers['x-amz-target']).replace('DynamoDB_20120810.', '');
}

const restorableAtAnyTime = JSON.stringify({
  ContinuousBackupsDescription: {
    PointInTimeRecoveryDescription: {
      PointInTimeRecoveryStatus: 'ENABLED',
      LatestRestorableDateTime: 4_102_444_800,
    },
  },
});
