import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';
import { functionEnvironment } from '../../infra/functionEnvironment.ts';

// The engine is a process of its own, so its work does not count. It speaks TLS, like DynamoDB.

const [, , folder = '.'] = process.argv;
const tableNames = { pets: 'pets', apiKeys: 'api-keys', idempotency: 'idempotency' };
const stage = 'bench';
const seededPets = 300;

const server = dynalite({
  createTableMs: 0,
  ssl: true,
  key: readFileSync(`${folder}/key.pem`, 'utf8'),
  cert: readFileSync(`${folder}/cert.pem`, 'utf8'),
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

/** The environment of a deployed function that uses this engine. */
const environment = {
  AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'bench',
  AWS_SESSION_TOKEN: 'x'.repeat(800), // a role's token is about as long
  ...functionEnvironment({ stage, tableNames, shards: 1, idsPerLease: 1 }),
};
Object.assign(process.env, environment);

// Imported after the assignment, because the client reads the environment once.
const { createTables } = await import('../../infra/local/createTables.ts');
const { issueApiKey } = await import('../../infra/tools/apiKeyRegistry.ts');
const { seedPets } = await import('../../infra/local/seedPets.ts');
await createTables(tableNames);
await seedPets(seededPets, { stop: new AbortController().signal, onProgress: () => {} });
const apiKey = await issueApiKey({ stage, tableName: tableNames.apiKeys }, { name: 'bench' });

process.send?.({ environment, apiKey });
process.once('disconnect', () => process.exit());
