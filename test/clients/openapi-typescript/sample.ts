import createClient from 'openapi-fetch';
import type { components, paths } from './generated/schema';

const connect = (apiKey?: string) =>
  createClient<paths>({
    baseUrl: process.env.BASE_URL ?? '',
    headers: { Authorization: `Bearer ${apiKey}` },
  });

function printError(error: components['schemas']['Error'] | undefined) {
  console.log(error?.status, error?.code);
}

const pets = connect(process.env.API_KEY);
// A `number` cannot hold the largest int64, so this is the largest that it can.
const body = { name: 'Rex', categoryId: Number.MAX_SAFE_INTEGER };
const created = await pets.POST('/pets', { body });
console.log('created', created.data?.categoryId);
const read = await pets.GET('/pets/{petId}', { params: { path: { petId: 1 } } });
console.log('read', read.data?.categoryId);
const first = await pets.GET('/pets', { params: { query: { limit: 2 } } });
console.log('page', first.data?.length);
const cursor = /cursor=([\w-]+)/.exec(first.response.headers.get('Link') ?? '')?.[1] ?? '';
const second = await pets.GET('/pets', { params: { query: { limit: 2, cursor } } });
console.log('page', second.data?.length);
const forged = { cursor: 'A'.repeat(20) };
printError((await pets.GET('/pets', { params: { query: forged } })).error);
printError((await connect('wrong').GET('/pets')).error);
printError((await pets.GET('/pets/{petId}', { params: { path: { petId: 999_999 } } })).error);
