import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { createOpenApiDocument, describeServer } from '../../infra/openapi/openApiDocument.ts';
import { sandboxStage } from '../../infra/stages.ts';
import { parseExactJson } from '../../lib/int64.ts';
import { type Operation, operationEntries } from '../../lib/operations.ts';
import * as schemas from '../../lib/schemas.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
type Document = any;

const documentText = readFileSync('openapi.json', 'utf8');
const openApiDocument: Document = JSON.parse(documentText);
const { components, paths } = openApiDocument;
const [, someRow] = operationEntries.find(([, { input }]) => !input.body) ?? expect.fail();

/** Returns what a pattern has outside of its groups. */
function withoutGroups(pattern = ''): string {
  const outer = pattern.replaceAll(/\([^()]*\)/g, '');
  return outer === pattern ? pattern : withoutGroups(outer);
}

describe('openapi.json', () => {
  it('has patterns that mean the same to code that searches, and to code that matches the whole', () => {
    const patterns = [...documentText.matchAll(/"pattern": (".*")/g)].map(([, pattern]) => pattern);

    expect(patterns.length).toBeGreaterThan(0);
    // An alternative outside of groups would need anchors of its own.
    for (const pattern of patterns) expect(withoutGroups(pattern)).toMatch(/^"\^[^|]*\$"$/);
  });

  it('names the schema of each body in infra/openapi/texts.ts, for the types of generated clients', () => {
    const schemas = operationEntries.flatMap(([, { method, path, successStatus }]) => {
      const { requestBody, responses } = paths[path][method.toLowerCase()];
      const contents = [requestBody, responses[successStatus]].map((body) => body?.content);
      return contents.flatMap((content) => content?.['application/json'].schema ?? []);
    });

    expect(schemas.length).toBeGreaterThan(0);
    for (const { $ref, items } of schemas) {
      expect($ref ?? items?.$ref).toMatch(/^#\/components\/schemas\//);
    }
  });

  it('has no server whose default is the id of an API', () => {
    for (const { variables } of openApiDocument.servers) {
      expect(variables?.apiId.default).not.toMatch(/^[a-z0-9]{10}$/);
    }
  });
});

type Field = { place: string; described: Document; schema: z.ZodMiniType; isText?: boolean };

const shapeOf = (schema: z.ZodMiniType | undefined) =>
  (schema as z.ZodMiniObject | undefined)?.shape ?? {};

const schemaNamed = (id: string) =>
  Object.values(schemas)
    .filter((schema) => schema instanceof z.ZodMiniType)
    .find((schema) => z.globalRegistry.get(schema)?.id === id);

const bodies = operationEntries.flatMap(([, { method, path }]) => {
  const { requestBody } = paths[path][method.toLowerCase()];
  return requestBody?.content['application/json'].schema.$ref?.split('/').at(-1) ?? [];
});

/** Each field of a request body, and each parameter, which is sent as text. */
const fields: Field[] = [
  ...bodies.flatMap((name) =>
    Object.entries<Document>(components.schemas[name].properties).map(([field, described]) => ({
      place: `${name}.${field}`,
      described,
      schema: shapeOf(schemaNamed(name))[field] ?? expect.unreachable(`${name}.${field}`),
    })),
  ),
  ...operationEntries.flatMap(([name, { method, path, input }]) =>
    paths[path][method.toLowerCase()].parameters.map((parameter: Document) => {
      const { header, ...others } = { path: input.path, query: input.query, header: input.headers };
      const isHeader = parameter.in === 'header';
      const part = isHeader ? header : others[parameter.in as 'path' | 'query'];
      return {
        place: `${name} ${parameter.name}`,
        described: parameter.schema,
        schema: shapeOf(part)[isHeader ? parameter.name.toLowerCase() : parameter.name],
        isText: true,
      };
    }),
  ),
];

/** Values near the bounds of a described schema, and others that no schema accepts. */
function valuesNear({ $ref, minimum, maximum, maxLength = 300, pattern, ...rest }: Document) {
  const { enum: allowed = [] } = $ref ? components.schemas[$ref.split('/').at(-1)] : rest;
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const unit = fc.constantFrom('a', '~', '!', ' ', '\n', '\u3000', '\u200b', 'é', '🐕');
  const lengths = [0, 1, 20, maxLength, maxLength + 1];
  return fc.oneof(
    fc.constantFrom(null, true, '', '1', {}, [], 1.5, -1, 0, ...allowed),
    fc.constantFrom(0, ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1])),
    fc.integer({ min: -200, max: 200 }),
    fc.string({ unit: 'binary', maxLength: 25 }),
    ...lengths.map((length) => fc.string({ unit, minLength: length, maxLength: length })),
    ...(pattern ? [fc.stringMatching(new RegExp(pattern, 'u'))] : []),
  );
}

describe('a value is valid as described if and only if the service accepts it', () => {
  const ajv = new Ajv2020({ strict: false, formats: { int32: true, int64: true } });
  ajv.addSchema(openApiDocument, 'openapi.json');

  it.each(fields)('$place', ({ described, schema, isText }) => {
    const absolute = described.$ref ? { $ref: `openapi.json${described.$ref}` } : described;
    const isInteger = described.type === 'integer';
    const isDescribed = ajv.compile(absolute);
    const items = described.items ? [valuesNear(described.items).map((item) => [item])] : [];
    fc.assert(
      fc.property(fc.oneof(valuesNear(described), ...items), (value) => {
        // A parameter is text: the digits of an integer, or the string itself.
        fc.pre(!isText || typeof value === (isInteger ? 'number' : 'string'));
        // An int64 is a bigint to its schema, and a small integer of a response is a number.
        const readings = isText ? [String(value)] : [parseExactJson(JSON.stringify(value)), value];
        const isAccepted = readings.some((each) => schema.safeParse(each).success);

        const message = `${JSON.stringify(value)}: limits and patterns describe a value, a format does not`;
        expect(isAccepted, message).toBe(isDescribed(value));
      }),
      { numRuns: 200 },
    );
  });
});

describe('describeServer', () => {
  const stage = sandboxStage('v1-alice');

  it('has the name and the Region of a stage', () => {
    const { url, description, variables } = describeServer({
      ...stage,
      account: { region: 'us-west-2' },
    });

    expect(url).toBe('https://{apiId}.execute-api.{region}.amazonaws.com/v1-alice/v1');
    expect(description).toMatch(/^v1-alice\./);
    expect(variables?.region?.default).toBe('us-west-2');
  });

  it('has only the domain of a stage that has one', () => {
    const domain = { name: 'api.example.com', certificateArn: 'arn:aws:acm:' };

    expect(describeServer({ ...stage, domain })).toEqual({
      url: 'https://api.example.com/v1',
      description: 'v1-alice',
    });
  });
});

describe('createOpenApiDocument', () => {
  /** Creates the document while a row has other members. */
  function documentWith(change: Partial<Operation>): Document {
    const original = { ...someRow };
    onTestFinished(() => {
      for (const name of Object.keys(change)) Reflect.deleteProperty(someRow, name);
      Object.assign(someRow, original);
    });
    Object.assign(someRow, change);
    return createOpenApiDocument();
  }

  it('marks an operation that is beta', () => {
    const { paths } = documentWith({ stability: 'beta' });

    expect(paths[someRow.path][someRow.method.toLowerCase()]['x-stability']).toBe('beta');
  });
});
