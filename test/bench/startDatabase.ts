import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { GetItemCommandInput, QueryCommandInput } from '@aws-sdk/client-dynamodb';
import { apiKeyDigest } from '../../lib/apiKeys/apiKey.ts';
import { items, newId } from './requests.ts';

/** Where the bundles and the certificate are. Git ignores it. */
export const buildFolder = join(import.meta.dirname, '.build');

type Call = Partial<GetItemCommandInput & QueryCommandInput>;

/**
 * Starts a database that responds from memory and knows one API key. It speaks TLS, like DynamoDB.
 *
 * Returns the environment of functions that use it.
 */
export async function startDatabase(apiKey: string): Promise<Record<string, string>> {
  const digest = { S: apiKeyDigest(apiKey) };
  const keyItem = { digest, name: { S: 'bench' }, createdAtEpochSeconds: { N: '1' } };
  /** The items of each partition of an index. */
  const itemsOf = new Map(
    ['collection', 'status'].flatMap((name) => [...Map.groupBy(items, (item) => item[name]?.S)]),
  );
  const responses: Record<string, (call: Call) => object> = {
    GetItem: ({ Key }) => (Key?.digest?.S === digest.S ? { Item: keyItem } : {}),
    PutItem: () => ({}),
    UpdateItem: () => ({ Attributes: { lastId: { N: String(newId) } } }),
    Query({ ExpressionAttributeValues = {}, Limit }) {
      const values = Object.values(ExpressionAttributeValues);
      const Items = values.flatMap(({ S }) => itemsOf.get(S) ?? []).slice(0, Limit);
      const { pk, id, status, collection } = Items.at(-1) ?? {};
      return { Items, Count: Items.length, LastEvaluatedKey: { pk, id, status, collection } };
    },
  };
  createCertificate();
  const server = createServer({
    key: readFileSync(join(buildFolder, 'key.pem')),
    cert: readFileSync(join(buildFolder, 'cert.pem')),
  });
  server.on('request', async (request, response) => {
    const [, action = ''] = String(request.headers['x-amz-target']).split('.');
    const body = JSON.stringify(responses[action]?.(JSON.parse(await text(request))));
    response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
  });
  await once(server.listen(0, '127.0.0.1').unref(), 'listening');
  return {
    AWS_ENDPOINT_URL_DYNAMODB: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    NODE_EXTRA_CA_CERTS: join(buildFolder, 'cert.pem'),
  };
}

/** RSA with 2048 bits, like the certificate of DynamoDB. */
function createCertificate(): void {
  const command =
    'req -x509 -newkey rsa:2048 -nodes -days 1 -keyout key.pem -out cert.pem -subj /CN=petstore-bench -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', command.split(' '), { cwd: buildFolder, stdio: 'pipe' });
}
