import { createRequire } from 'node:module';
import { installPackages } from '../../helpers/installPackages.ts';

// The part of autocannon that the benchmark uses. It has no types of its own.

export type Request = {
  method: 'GET' | 'POST';
  path: string;
  body?: string;
  headers?: Record<string, string>;
  /** Changes the request before it is sent. `context` belongs to one client and one turn of the mix. */
  setupRequest?: (request: Request, context: Record<string, string>) => Request;
  onResponse?: (
    status: number,
    body: string,
    context: Record<string, string>,
    headers: Record<string, string>,
  ) => void;
};

export type LoadResult = {
  errors: number;
  timeouts: number;
  non2xx: number;
  duration: number;
  requests: { total: number; average: number };
  latency: { p50: number; p99: number; max: number };
  statusCodeStats: Record<string, { count: number } | undefined>;
};

type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  headers: Record<string, string>;
  requests: Request[];
}) => Promise<LoadResult>;

/** Only this benchmark needs autocannon, so it is installed beside this file. */
export function installAutocannon(): Autocannon {
  installPackages(import.meta.dirname);
  return createRequire(import.meta.url)('autocannon');
}

const json = { 'Content-Type': 'application/json' };
const newPet = '{"name":"Zoë von Fluff","categoryId":7,"status":"pending"}';

/** The loop of each client: it adds two pets, reads one, and lists two pages. */
export function requestMix(seededPets: number): Request[] {
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
        const link = /<([^>]+)>; rel="next"/.exec(headers.link ?? headers.Link ?? '')?.[1];
        if (!link) return;
        const { pathname, search } = new URL(link);
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
