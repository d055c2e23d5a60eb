import { fork, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { stringifyExactJson } from '../../lib/int64.ts';
import { tables } from '../../lib/tables.ts';
import { filters, pinnedPet, storedPet, textOfItem } from '../helpers/samplePets.ts';

// The pets have the fields of version 1.0.0, which every variant knows. No double holds their integer, so
// rounding would show.

/** A full page for each filter. */
const items = Array.from({ length: 100 * filters.length }, (_, index) => {
  const id = BigInt(index + 1);
  const filter = filters[index % filters.length];
  const { pk } = storedPet(id);
  const token = '8e03978e-40d5-43dd-bc93-6894a57f9324';
  return marshall({ pk, id, ...pinnedPet, ...filter, token });
});

/** Returns the exact text of the page for a query. */
export function pageOf({ limit = '20', ...filter }: Record<string, string>): string {
  const isShown = (item: Record<string, AttributeValue>) =>
    Object.entries(filter).every(([name, value]) => item[name]?.S === value);
  return `[${items.filter(isShown).slice(0, Number(limit)).map(textOfItem).join(',')}]`;
}

/** The pet that is added, as JSON. */
export const newPetText = stringifyExactJson({ ...pinnedPet, ...filters[1] });

const partitionName = tables.pets.indexes.byStatus.partitionKey.name;

const itemsOf = Map.groupBy(items, (item) => item[partitionName]?.S);

type Call = {
  Key?: { digest?: { S: string } };
  ExpressionAttributeValues?: Record<string, { S: string }>;
  Limit?: number;
};

/** Returns DynamoDB's responses to the calls of the measured operations, with this API key. */
export function databaseOf(apiKey: string): (target: string, body: string) => string {
  const digest = { S: createHash('sha256').update(apiKey).digest('hex') };
  const keyItem = { digest, name: { S: 'bench' }, createdAtEpochSeconds: { N: '1' } };
  const pages = new Map<string, string>();
  let lastId = items.length;
  const responses: Record<string, (call: Call) => unknown> = {
    GetItem: ({ Key }) => (Key?.digest?.S === digest.S ? { Item: keyItem } : {}),
    PutItem: () => ({}),
    UpdateItem() {
      lastId += 1;
      return { Attributes: { lastId: { N: String(lastId) } } };
    },
    Query({ ExpressionAttributeValues = {}, Limit }) {
      const values = Object.values(ExpressionAttributeValues);
      const Items = values.flatMap(({ S }) => itemsOf.get(S) ?? []).slice(0, Limit);
      const { pk, id, [partitionName]: partition } = Items.at(-1) ?? {};
      return {
        Items,
        Count: Items.length,
        LastEvaluatedKey: { pk, id, [partitionName]: partition },
      };
    },
  };
  return (target, body) => {
    const page = pages.get(body);
    if (page) return page;
    const [, action = ''] = target.split('.');
    const text = JSON.stringify(responses[action]?.(JSON.parse(body)));
    if (action === 'Query') pages.set(body, text);
    return text;
  };
}

/**
 * Starts a database that responds from memory, with pets and this API key.
 *
 * It is a process of its own, so its work does not count. It speaks TLS, like DynamoDB.
 */
export async function startDatabase(apiKey: string) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-bench-'));
  createCertificate(folder);
  const child = fork(import.meta.filename, [folder, apiKey]);
  const [port] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('The database did not start.'))),
  ]);
  return {
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${port}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
    },
    stop() {
      child.disconnect();
      rmSync(folder, { recursive: true });
    },
  };
}

/** RSA with 2048 bits, like the certificate of DynamoDB. */
function createCertificate(folder: string): void {
  const { status, stderr } = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1'],
      ...['-subj', '/CN=petstore-bench', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', 'key.pem', '-out', 'cert.pem'],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`openssl cannot create the certificate: ${stderr}`);
}

if (import.meta.main) {
  const [, , folder = '.', apiKey = ''] = process.argv;
  const respond = databaseOf(apiKey);
  const server = createServer({
    key: readFileSync(join(folder, 'key.pem')),
    cert: readFileSync(join(folder, 'cert.pem')),
  });
  server.keepAliveTimeout = 0; // a function that waits for its turn keeps its connection
  server.on('request', async (request, response) => {
    const body = respond(String(request.headers['x-amz-target']), await text(request));
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
  process.once('disconnect', () => process.exit());
}
