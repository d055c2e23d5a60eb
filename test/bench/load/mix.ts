import type { Request } from './installAutocannon.ts';

const json = { 'Content-Type': 'application/json' };
const newPet = '{"name":"Zoë von Fluff","categoryId":7,"status":"pending"}';

/** What each client does, again and again: it adds two pets, reads one, and lists two pages. */
export function mix(seededPets: number): Request[] {
  return [
    { method: 'POST', path: '/v1/pets', headers: json, body: newPet },
    {
      method: 'POST',
      path: '/v1/pets',
      body: newPet,
      setupRequest: (request) => ({
        ...request,
        headers: { ...request.headers, ...json, 'Idempotency-Key': crypto.randomUUID() },
      }),
    },
    {
      method: 'GET',
      path: '/v1/pets/1',
      setupRequest: (request) => ({
        ...request,
        path: `/v1/pets/${1 + Math.floor(Math.random() * seededPets)}`,
      }),
    },
    {
      method: 'GET',
      path: '/v1/pets?status=sold',
      onResponse: (_status, _body, context, headers) => {
        const { pathname = '', search = '' } = nextPage(headers) ?? {};
        context.nextPage = `${pathname}${search}`;
      },
    },
    {
      method: 'GET',
      path: '/v1/pets',
      setupRequest: (request, { nextPage = '/v1/pets?limit=100' }) => ({
        ...request,
        path: nextPage,
      }),
    },
  ];
}

function nextPage(headers: Record<string, string>): URL | undefined {
  const address = /<([^>]+)>; rel="next"/.exec(headers.link ?? headers.Link ?? '')?.[1];
  return address === undefined ? undefined : new URL(address);
}
