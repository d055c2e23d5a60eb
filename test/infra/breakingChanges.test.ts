import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../infra/tools/openapi/breakingChanges.ts';

// biome-ignore lint/suspicious/noExplicitAny: a description is edited at will here
type Description = any;

const description: Description = JSON.parse(readFileSync('openapi.json', 'utf8'));
const edited = (edit: (description: Description) => void) => {
  const copy = structuredClone(description);
  edit(copy);
  return copy;
};

describe('breakingChanges', () => {
  it('finds none in the same description', () => {
    expect(breakingChanges(description, description)).toEqual([]);
  });

  it.each<[string, (description: Description) => void]>([
    ['GET /pets was removed before its sunset.', ({ paths }) => delete paths['/pets'].get],
    [
      'GET /pets/{petId} was removed before its sunset.',
      ({ paths }) => delete paths['/pets/{petId}'],
    ],
    [
      'GET /pets has another operationId.',
      ({ paths }) => (paths['/pets'].get.operationId = 'getPets'),
    ],
    ['The security requirement changed.', (copy) => (copy.security = [])],
    [
      'GET /pets: the parameter status was removed.',
      ({ paths }) => paths['/pets'].get.parameters.splice(1, 1),
    ],
    [
      'GET /pets: the parameter limit became required.',
      ({ paths }) => (paths['/pets'].get.parameters[0].required = true),
    ],
    [
      'GET /pets: limit: maximum was lowered.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.maximum = 50),
    ],
    [
      'GET /pets: limit: minimum was raised.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.minimum = 2),
    ],
    [
      'GET /pets: limit: type changed from "integer" to "string".',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.type = 'string'),
    ],
    [
      'GET /pets: cursor: pattern changed from "^[A-Za-z0-9_-]{20}$" to "^x$".',
      ({ paths }) => (paths['/pets'].get.parameters[2].schema.pattern = '^x$'),
    ],
    [
      'POST /pets body.name: maxLength was lowered.',
      ({ components }) => (components.schemas.NewPet.properties.name.maxLength = 100),
    ],
    [
      'POST /pets body.status became required.',
      ({ components }) => components.schemas.NewPet.required.push('status'),
    ],
    [
      'POST /pets body.categoryId: format changed from "int64" to "int32".',
      ({ components }) => (components.schemas.NewPet.properties.categoryId.format = 'int32'),
    ],
    [
      'POST /pets body.status: sold is not taken any more.',
      ({ components }) => components.schemas.PetStatus.enum.pop(),
    ],
    [
      'GET /pets: 200 body[].status: lost may be answered.',
      ({ components }) => components.schemas.PetStatus.enum.push('lost'),
    ],
    [
      'GET /pets: 200 body[].name may be missing.',
      ({ components }) => (components.schemas.Pet.required = ['id', 'categoryId', 'status']),
    ],
    [
      'GET /pets: 200 body[].id was removed.',
      ({ components }) => delete components.schemas.Pet.properties.id,
    ],
    ['POST /pets: 201 was removed.', ({ paths }) => delete paths['/pets'].post.responses[201]],
    [
      'POST /pets: 201 header Location was removed.',
      ({ paths }) => delete paths['/pets'].post.responses[201].headers.Location,
    ],
    [
      'The server https://{apiId}.execute-api.{region}.amazonaws.com/v1-production/v1 was removed.',
      ({ servers }) => (servers[0].url = servers[0].url.replace(/v1$/, 'v2')),
    ],
    [
      'The way to authenticate changed.',
      ({ components }) => (components.securitySchemes.apiKey.scheme = 'basic'),
    ],
    [
      'GET /pets has another security requirement.',
      ({ paths }) => (paths['/pets'].get.security = []),
    ],
    [
      'GET /pets: limit: default changed from 20 to 1.',
      ({ paths }) => (paths['/pets'].get.parameters[0].schema.default = 1),
    ],
    [
      'POST /pets body: additionalProperties changed from undefined to false.',
      ({ components }) => (components.schemas.NewPet.additionalProperties = false),
    ],
    [
      'POST /pets body.name: const changed from undefined to "Rex".',
      ({ components }) => (components.schemas.NewPet.properties.name.const = 'Rex'),
    ],
    [
      'GET /pets: 200 header Link was removed.',
      ({ paths }) => delete paths['/pets'].get.responses[200].headers.Link,
    ],
    [
      'GET /pets: 503 header Retry-After: pattern changed from "^[0-9]+$" to " GMT$".',
      ({ components }) => (components.headers.RetryAfter.schema.pattern = ' GMT$'),
    ],
    [
      'GET /pets/{petId}: 200 header Sunset was removed.',
      ({ paths }) => delete paths['/pets/{petId}'].get.responses[200].headers.Sunset,
    ],
    [
      'GET /pets/{petId} ends sooner, on 2027-01-01.',
      ({ paths }) => (paths['/pets/{petId}'].get['x-sunset'] = '2027-01-01'),
    ],
    [
      'GET /pets became experimental.',
      ({ paths }) => (paths['/pets'].get['x-stability'] = 'experimental'),
    ],
    ['POST /pets: 202 may be answered.', ({ paths }) => (paths['/pets'].post.responses[202] = {})],
    [
      'GET /pets: 200 body: maxItems was raised.',
      ({ paths }) =>
        (paths['/pets'].get.responses[200].content['application/json'].schema.maxItems = 1000),
    ],
  ])('says «%s»', (sentence, edit) => {
    expect(breakingChanges(description, edited(edit))).toContain(sentence);
  });

  it.each<[string, (description: Description) => void]>([
    [
      'a new operation',
      ({ paths }) => (paths['/owners'] = { get: { operationId: 'listOwners', responses: {} } }),
    ],
    [
      'a new optional parameter',
      ({ paths }) => paths['/pets'].get.parameters.push({ name: 'q', in: 'query', schema: {} }),
    ],
    ['a wider limit', ({ paths }) => (paths['/pets'].get.parameters[0].schema.maximum = 1000)],
    [
      'a new member in an answer',
      ({ components }) => (components.schemas.Pet.properties.age = { type: 'integer' }),
    ],
    ['an error that no longer happens', ({ paths }) => delete paths['/pets'].get.responses[403]],
    ['another text', ({ info }) => (info.description = 'Better.')],
  ])('lets %s pass', (_case, edit) => {
    expect(breakingChanges(description, edited(edit))).toEqual([]);
  });

  it('lets an operation go when its sunset has come', () => {
    const without = edited(({ paths }) => delete paths['/pets/{petId}']);

    expect(breakingChanges(description, without, new Date('2030-12-05'))).toEqual([]);
    expect(breakingChanges(description, without, new Date('2030-12-04'))).toHaveLength(1);
  });
});
