import { createApiKey } from '../../../lib/apiKeys/apiKey.ts';
import type { Answer } from './Answer.ts';
import type { Check } from './Check.ts';
import { expectError, expectHeader, expectStatus } from './expectations.ts';
import type { Service } from './openService.ts';

const challenge = 'Bearer realm="petstore"';
const tokenChallenge = `${challenge}, error="invalid_token"`;

export function authenticationChecks(service: Service): Check[] {
  const { apiKey, send } = service;
  const refused: [string, string, string][] = [
    ['no key', '', challenge],
    ['an empty key', 'Bearer ', challenge],
    ['another scheme', 'Basic cGV0OnN0b3Jl', challenge],
    ['a mistyped key', `Bearer ${mistyped(apiKey)}`, tokenChallenge],
    ['a key that was never issued', `Bearer ${createApiKey(stageOf(apiKey))}`, tokenChallenge],
    ['two keys', `Bearer ${apiKey}, Bearer ${apiKey}`, tokenChallenge],
  ];
  const hidden: [string, string, string?][] = [
    ['POST', '/pets', '{'],
    ['GET', '/pets/1'],
    ['GET', '/pets?limit=0'],
    ['GET', '/store/orders'],
    ['DELETE', '/pets'],
  ];
  return [
    ...refused.map(([what, authorization, expected]) => ({
      title: `answers 401 for ${what}, with its challenge`,
      async run() {
        const answer = await send('GET', '/pets', { authorization });
        expectError(answer, 401, 'unauthorized');
        expectHeader(answer, 'WWW-Authenticate', expected, challengeOf(answer));
      },
    })),
    ...hidden.map(([method, path, body]) => ({
      title: `answers 401 without a key before it looks at ${method} ${path}`,
      async run() {
        const sent = { authorization: '', ...(body !== undefined && { body }) };
        expectError(await send(method, path, sent), 401, 'unauthorized');
      },
    })),
    {
      title: 'takes the scheme in any case (RFC 9110)',
      async run() {
        const answer = await send('GET', '/pets?limit=1', { authorization: `bEARER ${apiKey}` });
        expectStatus(answer, 200);
      },
    },
  ];
}

/** A REST API of API Gateway sends the header of a function under another name. */
function challengeOf({ headers }: Answer): string | null {
  return headers.get('WWW-Authenticate') ?? headers.get('x-amzn-remapped-www-authenticate');
}

function mistyped(apiKey: string): string {
  return `${apiKey.slice(0, -1)}${apiKey.endsWith('A') ? 'B' : 'A'}`;
}

function stageOf(apiKey: string): string {
  return apiKey.split('_')[1] ?? '';
}
