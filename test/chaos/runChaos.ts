import { setTimeout as wait } from 'node:timers/promises';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { Client } from './Client.ts';
import { Fleet } from './Fleet.ts';
import { startFaultProxy } from './faultProxy.ts';
import { Ledger } from './Ledger.ts';
import { seededRandom } from './seededRandom.ts';

type Settings = {
  seed: number;
  durationMs: number;
  clients: number;
  instances: number;
  killEveryMs: number;
  /** Of the engine, whose tables exist. */
  endpoint: string;
  petsTableName: string;
  apiKey: string;
  /** Of the functions. */
  environment: NodeJS.ProcessEnv;
};

/**
 * Runs clients against processes of the service that are killed, while their connections to the
 * database break.
 *
 * Then the faults end, the clients read everything back, and the stored pets are checked.
 */
export async function runChaos(settings: Settings) {
  const { seed, durationMs, killEveryMs, endpoint, apiKey, environment } = settings;
  const proxy = await startFaultProxy(endpoint, seed);
  const fleet = new Fleet({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint });
  const ledger = new Ledger();
  const random = seededRandom(seed);
  await Promise.all(Array.from({ length: settings.instances }, () => fleet.grow()));

  const clients = Array.from({ length: settings.clients }, (_, number) => {
    return new Client({ apiKey, fleet, ledger, random: seededRandom(seed * 1009 + number) });
  });
  const endMs = Date.now() + durationMs;
  const working = clients.map(async (client) => {
    while (Date.now() < endMs) await client.act();
  });
  while (Date.now() < endMs) {
    // Half to one and a half times as long, so that the kills follow no rhythm.
    await wait(killEveryMs * (0.5 + random()));
    await fleet.replaceOne(random);
  }
  await Promise.all([proxy.endFaults(), ...working]);

  await readBackAll(clients, ledger);
  await fleet.stop();
  proxy.stop();
  await checkTable(settings, ledger);
  const { creations, responses, violations } = ledger;
  return {
    creations: creations.length,
    acknowledged: ledger.acknowledged().length,
    responses,
    kills: fleet.kills,
    faults: proxy.counts,
    violations,
  };
}

async function readBackAll(clients: Client[], ledger: Ledger): Promise<void> {
  const left = ledger.acknowledged();
  const reading = clients.map(async (client) => {
    client.isFaultFree = true;
    for (let creation = left.pop(); creation; creation = left.pop()) {
      await client.readBack(creation);
    }
  });
  await Promise.all(reading);
  for (const status of ['', 'available', 'pending', 'sold']) await clients[0]?.walk(status, 100);
}

/** It uses a plain SDK client, not the service's code, so that a bug there cannot hide itself. */
async function checkTable({ endpoint, petsTableName }: Settings, ledger: Ledger): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'local', credentials });
  const scan = async (input: { IndexName?: string }) => {
    const pages = paginateScan({ client }, { TableName: petsTableName, ...input });
    return (await Array.fromAsync(pages)).flatMap(({ Items = [] }) => Items);
  };
  ledger.checkItems(await scan({}), await scan({ IndexName: 'byStatus' }));
  client.destroy();
}
