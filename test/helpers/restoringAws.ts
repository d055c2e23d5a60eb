import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableNotExists,
} from '@aws-sdk/client-dynamodb';
import { inject, onTestFinished } from 'vitest';
import { config } from '../../lib/config.ts';
import { describeStacksResponse } from './describeStacksResponse.ts';
import { listen } from './listen.ts';

type RestoreInput = { TargetTableName: string } & Record<string, unknown>;

/**
 * Fakes AWS for a restore: a stack with the pets table of this test file, and a DynamoDB that can
 * restore. `restore` fakes the restore; everything else goes to the embedded engine.
 *
 * Returns the environment for a command, and the restores that it requested.
 */
export async function restoringAws(restore: (targetTable: string) => Promise<unknown>) {
  const restores: RestoreInput[] = [];
  const stacks = describeStacksResponse('PetsTableName', config.petsTableName);
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
    const result = await fetch(inject('dynamoDbEndpoint'), { method: 'POST', headers, body });
    response.statusCode = result.status;
    response.end(Buffer.from(await result.arrayBuffer()));
  });
  // The next test may restore in the same second, and so to a table of the same name.
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
    // A drill that passed has deleted its table.
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
