import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../infra/openapi/breakingChanges.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests edit any part of a document
type Document = any;
type Edit = (document: Document) => void;

const openApiDocument: Document = JSON.parse(readFileSync('openapi.json', 'utf8'));

function edited(edit: Edit): Document {
  const copy = structuredClone(openApiDocument);
  edit(copy);
  return copy;
}

const parameter = ({ paths }: Document, index: number) => paths['/pets'].get.parameters[index];
const responses = ({ paths }: Document, method: 'get' | 'post') => paths['/pets'][method].responses;
const getPet = ({ paths }: Document) => paths['/pets/{petId}'].get;
const newPet = ({ components }: Document) => components.schemas.NewPet;

const json = 'application/json';

describe('breakingChanges', () => {
  it('finds none in the same document', () => {
    expect(breakingChanges(openApiDocument, openApiDocument)).toEqual([]);
  });

  it.each<[string, Edit]>([
    ['GET /pets was removed.', ({ paths }) => delete paths['/pets'].get],
    ['GET /pets/{petId} was removed.', ({ paths }) => delete paths['/pets/{petId}']],
    [
      'GET /pets > operationId changed from "listPets" to "getPets".',
      ({ paths }) => (paths['/pets'].get.operationId = 'getPets'),
    ],
    ['security changed from [{"apiKey":[]}] to [].', (document) => (document.security = [])],
    [
      'GET /pets > security changed from undefined to [].',
      ({ paths }) => (paths['/pets'].get.security = []),
    ],
    [
      'GET /pets > query status was removed.',
      ({ paths }) => paths['/pets'].get.parameters.splice(1, 1),
    ],
    ['GET /pets > query limit was removed.', (document) => (parameter(document, 0).in = 'header')],
    [
      'GET /pets > query limit > required changed from false to true.',
      (document) => (parameter(document, 0).required = true),
    ],
    [
      'GET /pets > query limit > maximum changed from 100 to 50.',
      (document) => (parameter(document, 0).schema.maximum = 50),
    ],
    [
      'GET /pets > query limit > minimum changed from 1 to 2.',
      (document) => (parameter(document, 0).schema.minimum = 2),
    ],
    [
      'GET /pets > query limit > type changed from "integer" to "string".',
      (document) => (parameter(document, 0).schema.type = 'string'),
    ],
    [
      'GET /pets > query limit > default changed from 20 to 1.',
      (document) => (parameter(document, 0).schema.default = 1),
    ],
    [
      'GET /pets > query cursor > pattern changed from "^[A-Za-z0-9_-]{20}$" to "^x$".',
      (document) => (parameter(document, 2).schema.pattern = '^x$'),
    ],
    [
      `POST /pets > body > ${json} > name > maxLength changed from 255 to 100.`,
      (document) => (newPet(document).properties.name.maxLength = 100),
    ],
    [
      `POST /pets > body > ${json} > name > minLength changed from 1 to 2.`,
      (document) => (newPet(document).properties.name.minLength = 2),
    ],
    [
      `POST /pets > body > ${json} > name > enum changed from undefined to ["Rex"].`,
      (document) => (newPet(document).properties.name.enum = ['Rex']),
    ],
    [
      `POST /pets > body > ${json} > required changed from ["name","categoryId"] to ["name","categoryId","status"].`,
      (document) => newPet(document).required.push('status'),
    ],
    [
      `POST /pets > body > ${json} > categoryId > format changed from "int64" to "int32".`,
      (document) => (newPet(document).properties.categoryId.format = 'int32'),
    ],
    [
      `POST /pets > body > ${json} > status > enum changed from ["available","pending","sold"] to ["available","pending"].`,
      ({ components }) => components.schemas.PetStatus.enum.pop(),
    ],
    ['POST /pets > body was removed.', ({ paths }) => delete paths['/pets'].post.requestBody],
    [
      'GET /pets > body was added.',
      ({ paths }) => (paths['/pets'].get.requestBody = paths['/pets'].post.requestBody),
    ],
    [
      `GET /pets > 200 > ${json} > items > status > enum changed from ["available","pending","sold"] to ["available","pending","sold","lost"].`,
      ({ components }) => components.schemas.PetStatus.enum.push('lost'),
    ],
    [
      `GET /pets > 200 > ${json} > items > required changed from ["id","name","categoryId","status"] to ["id","categoryId","status"].`,
      ({ components }) => (components.schemas.Pet.required = ['id', 'categoryId', 'status']),
    ],
    [
      `GET /pets > 200 > ${json} > items > id was removed.`,
      ({ components }) => delete components.schemas.Pet.properties.id,
    ],
    [
      `GET /pets > 200 > ${json} > maxItems changed from 100 to 1000.`,
      (document) =>
        (responses(document, 'get')[200].content['application/json'].schema.maxItems = 1000),
    ],
    ['POST /pets > 201 was removed.', (document) => delete responses(document, 'post')[201]],
    ['POST /pets > 202 was added.', (document) => (responses(document, 'post')[202] = {})],
    [
      'POST /pets > 201 > Location was removed.',
      (document) => delete responses(document, 'post')[201].headers.Location,
    ],
    [
      'GET /pets > 200 > Link was removed.',
      (document) => delete responses(document, 'get')[200].headers.Link,
    ],
    [
      'GET /pets > 503 > Retry-After > pattern changed from "^[0-9]+$" to " GMT$".',
      ({ components }) => (components.headers.RetryAfter.schema.pattern = ' GMT$'),
    ],
    [
      'GET /pets > 503 > Retry-After > required changed from true to undefined.',
      ({ components }) => delete components.headers.RetryAfter.required,
    ],
    [
      'GET /pets/{petId} > 200 > Sunset was removed.',
      (document) => delete getPet(document).responses[200].headers.Sunset,
    ],
    [
      'GET /pets/{petId} > x-sunset changed from "2030-12-05" to "2027-01-01".',
      (document) => (getPet(document)['x-sunset'] = '2027-01-01'),
    ],
    [
      'GET /pets > x-stability changed from undefined to "experimental".',
      ({ paths }) => (paths['/pets'].get['x-stability'] = 'experimental'),
    ],
    [
      'The server https://{apiId}.execute-api.{region}.amazonaws.com/v1-production/v1 was removed.',
      ({ servers }) => (servers[0].url = servers[0].url.replace(/v1$/, 'v2')),
    ],
    [
      'apiKey > scheme changed from "bearer" to "basic".',
      ({ components }) => (components.securitySchemes.apiKey.scheme = 'basic'),
    ],
  ])('reports «%s»', (sentence, edit) => {
    expect(breakingChanges(openApiDocument, edited(edit))).toContain(sentence);
  });

  it.each<[string, Edit]>([
    [
      'a new operation',
      ({ paths }) => (paths['/owners'] = { get: { operationId: 'listOwners', responses: {} } }),
    ],
    [
      'a new optional parameter',
      ({ paths }) => paths['/pets'].get.parameters.push({ name: 'q', in: 'query', schema: {} }),
    ],
    ['a later sunset', (document) => (getPet(document)['x-sunset'] = '2031-01-01')],
    ['a new error', (document) => (responses(document, 'get')[418] = {})],
    ['a wider limit', (document) => (parameter(document, 0).schema.maximum = 1000)],
    [
      'a new member in a response',
      ({ components }) => (components.schemas.Pet.properties.age = { type: 'integer' }),
    ],
    ['an error that no longer happens', (document) => delete responses(document, 'get')[403]],
    [
      'another example',
      (document) =>
        (responses(document, 'get')[200].content['application/json'].example = [{ id: 'x' }]),
    ],
    ['another text', ({ info }) => (info.description = 'Better.')],
  ])('accepts %s', (_case, edit) => {
    expect(breakingChanges(openApiDocument, edited(edit))).toEqual([]);
  });

  it('accepts the removal of an operation from its sunset on', () => {
    const without = edited(({ paths }) => delete paths['/pets/{petId}']);

    expect(breakingChanges(openApiDocument, without, new Date('2030-12-05'))).toEqual([]);
    expect(breakingChanges(openApiDocument, without, new Date('2030-12-04'))).toHaveLength(1);
  });
});
