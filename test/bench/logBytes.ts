import { functionEnvironment } from '../../infra/functionEnvironment.ts';
import { createTables } from '../../infra/local/createTables.ts';
import { openLocalDatabase } from '../../infra/local/localDatabase.ts';
import { defineCommand, runCommand } from '../../infra/tools/command.ts';

// CloudWatch bills these bytes. The costs in docs/operations.md are based on them.

const stage = 'v1-production';
const tableNames = { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' };

export const logBytes = defineCommand('bench:log').action(async () => {
  const database = await openLocalDatabase();
  await createTables(tableNames);
  Object.assign(
    process.env,
    functionEnvironment({ stage, tableNames, shards: 1, idsPerLease: 10 }),
    {
      AWS_LAMBDA_FUNCTION_VERSION: '42',
      _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793',
      // As long as those of a release, see `ServiceFunction`.
      RELEASE: '1.0.0+0123456789ab.0123456789ab',
    },
  );

  // Imported after the assignment, because lib/config.ts reads the environment when it loads.
  const { issueApiKey } = await import('../../infra/tools/apiKeyRegistry.ts');
  const { handler: createPet } = await import('../../functions/createPet.ts');
  const { handler: listPets } = await import('../../functions/listPets.ts');
  const { handler: getPet } = await import('../../functions/getPet.ts');

  const apiKey = await issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'bench' });
  const headers = { Authorization: `Bearer ${apiKey}` };
  const requests = {
    createPet: () =>
      createPet(
        { ...event('createPet', headers), body: '{"name":"Rex","categoryId":7}' },
        context('createPet'),
      ),
    listPets: () => listPets(event('listPets', headers), context('listPets')),
    getPet: () =>
      getPet({ ...event('getPet', headers), pathParameters: { petId: '1' } }, context('getPet')),
  };

  for (const [operation, request] of Object.entries(requests)) {
    await bytesWrittenBy(request); // the first request of an instance also reads the API key
    const written = await bytesWrittenBy(request);
    process.stdout.write(`${operation.padEnd(10)} ${written} bytes\n`);
  }
  await database.stop();
});

function event(operation: string, headers: Record<string, string>) {
  return {
    path: operation === 'getPet' ? '/v1/pets/1' : '/v1/pets',
    headers,
    requestContext: {
      requestId: crypto.randomUUID(),
      domainName: 'abcdefghij.execute-api.us-east-1.amazonaws.com',
    },
  };
}

/** Its values are as long as those of Lambda. */
function context(operation: string) {
  const functionName = `PetStore-${stage}-${operation}Function0123456789AB`;
  return {
    functionName,
    functionVersion: '42',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:${functionName}:live`,
    memoryLimitInMB: '1024',
    awsRequestId: crypto.randomUUID(),
    getRemainingTimeInMillis: () => 10_000,
  };
}

async function bytesWrittenBy(request: () => Promise<unknown>): Promise<number> {
  const { write } = process.stdout;
  let bytes = 0;
  process.stdout.write = (chunk: string | Uint8Array) => {
    bytes += Buffer.byteLength(chunk);
    return true;
  };
  try {
    await request();
  } finally {
    process.stdout.write = write;
  }
  return bytes;
}

if (import.meta.main) await runCommand(logBytes);
