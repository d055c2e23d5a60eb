import { createPet, type Error as ErrorBody, getPet, listPets } from './generated';
import { createClient } from './generated/client';

const connect = (auth?: string) => createClient({ baseUrl: process.env.BASE_URL ?? '', auth });

function printError(error: ErrorBody | undefined) {
  console.log(error?.status, error?.code);
}

const client = connect(process.env.API_KEY);
// A `number` cannot hold the largest int64, so this is the largest that it can.
const body = { name: 'Rex', categoryId: Number.MAX_SAFE_INTEGER };
const created = await createPet({ client, body });
console.log('created', created.data?.categoryId);
const read = await getPet({ client, path: { petId: 1 } });
console.log('read', read.data?.categoryId);
const first = await listPets({ client, query: { limit: 2 } });
console.log('page', first.data?.length);
const cursor = /cursor=([\w-]+)/.exec(first.response?.headers.get('Link') ?? '')?.[1];
const second = await listPets({ client, query: { limit: 2, cursor } });
console.log('page', second.data?.length);
printError((await listPets({ client, query: { cursor: 'A'.repeat(20) } })).error);
printError((await listPets({ client: connect('wrong') })).error);
printError((await getPet({ client, path: { petId: 999_999 } })).error);
