import { marshall } from '@aws-sdk/util-dynamodb';
import { expect, it } from 'vitest';
import { checkResponse, type HttpResponse } from './contract/checkResponse.ts';
import { storedPet, textOfItem } from './helpers/samplePets.ts';

const pet = textOfItem(marshall(storedPet(2n ** 63n - 1n)));
const headers = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'request-1',
  'Content-Type': 'application/json',
};

const created = { method: 'POST', path: '/pets', status: 201, text: pet };
const refused = {
  method: 'GET',
  path: '/pets',
  status: 401,
  text: '{"code":"unauthorized","message":"m","status":401}',
};

it.each<[fault: string, changed: Omit<HttpResponse, 'headers'>, headers: Record<string, string>]>([
  ['"missingProperty":"location"', created, {}],
  ['"additionalProperty":"x-powered-by"', created, { 'X-Powered-By': 'x' }],
  ['no response 404', { ...created, status: 404 }, {}],
  ['exactNumber', { ...created, text: pet.replace('5807,', '5808,') }, { Location: '/v1/pets/7' }],
  ['"additionalProperty":"pk"', { ...created, text: pet.replace('{', '{"pk":"PET#1",') }, {}],
  ['lacks a challenge', refused, {}],
  ['removal by 1 of 3 headers', refused, { Deprecation: '@1795132800' }],
  ['another code', { ...refused, text: refused.text.replace('un', '') }, {}],
  ['another status in its body', { ...refused, text: refused.text.replace('401', '400') }, {}],
  [
    'names internals',
    { ...refused, text: refused.text.replace('"m"', '"at f (/var/task/x)"') },
    {},
  ],
])('checkResponse refuses a response with a fault: %s', (fault, response, added) => {
  const received = { ...response, headers: new Headers({ ...headers, ...added }) };

  expect(() => checkResponse(received)).toThrow(fault);
});
