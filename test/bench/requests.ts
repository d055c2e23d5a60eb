import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { stringifyExactJson } from '../../lib/int64.ts';
import { gatewayEvent } from '../helpers/gatewayEvent.ts';
import { filters, pinnedPet, rexFilter, storedPet, textOfItem } from '../helpers/samplePets.ts';

type Item = Record<string, AttributeValue>;

/** A full page for each filter. No double holds an integer of these pets, so a rounded one would show. */
export const items: readonly Item[] = Array.from({ length: 100 * filters.length }, (_, index) => {
  const fields = { ...pinnedPet, ...filters[index % filters.length], token: crypto.randomUUID() };
  return marshall(storedPet(BigInt(index + 1), fields));
});

/** The id of each new pet, because the counter of the database stands still. */
export const newId = 1n;

export type MeasuredRequests = ReturnType<typeof requestsWith>[number];

/** Returns the events with the bodies of their responses: the first request to a new process, and the warm ones. */
export function requestsWith(apiKey: string) {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    Host: 'abc123.execute-api.eu-west-1.amazonaws.com',
    'User-Agent': 'bench/1.0',
    'X-Amzn-Trace-Id': 'Root=1-5759e988-bd862e3fe1be46a994272793',
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Proto': 'https',
  };
  const creation = {
    title: 'createPet',
    event: gatewayEvent('createPet', { headers, body: stringifyExactJson(pinnedPet) }),
    body: textOfItem(marshall({ ...pinnedPet, id: newId })),
  };
  const list = (title: string, query: Record<string, string>, shown: readonly Item[]) => ({
    title,
    event: gatewayEvent('listPets', { headers, query }),
    body: `[${shown.map(textOfItem)}]`,
  });
  const rexes = items.filter(({ status }) => status?.S === rexFilter.status);
  return [
    { operation: 'createPet', first: creation, warm: creation },
    {
      operation: 'listPets',
      first: list('listPets', {}, items.slice(0, 20)),
      warm: list('listPets of 100', { ...rexFilter, limit: '100' }, rexes),
    },
  ] as const;
}
