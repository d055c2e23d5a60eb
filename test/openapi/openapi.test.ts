import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type * as z from 'zod/mini';
import { parseExactJson } from '../../lib/int64.ts';
import { type Operation, operationEntries, operations } from '../../lib/operations.ts';
import { createOpenApiDocument } from '../../openapi/openApiDocument.ts';
import { anyText } from '../helpers/anyText.ts';

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape
type Document = any;

const documentText = readFileSync('openapi.json', 'utf8');
const openApiDocument: Document = JSON.parse(documentText);
const { components, paths } = openApiDocument;

const responses = [
  components,
  ...operationEntries.map(([, { method, path }]) => paths[path][method.toLowerCase()]),
].flatMap((each): Document[] => Object.values(each.responses));

/** Returns the JSON of a part, and of each schema that it refers to. */
function withSchemas(part: object): string {
  const text = JSON.stringify(part);
  const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name = '']) => name);
  return [text, ...names.map((name) => withSchemas(components.schemas[name]))].join();
}

/** Returns the parts of a pattern outside of its groups. */
function withoutGroups(pattern = ''): string {
  const outer = pattern.replaceAll(/\([^()]*\)/g, '');
  return outer === pattern ? pattern : withoutGroups(outer);
}

describe('openapi.json', () => {
  it('has the version whose changes docs/guide/changelog.md lists first', () => {
    const [, newest] =
      /^\*\*(.+)\*\*$/m.exec(readFileSync('docs/guide/changelog.md', 'utf8')) ?? [];

    expect(openApiDocument.info.version).toBe(newest);
  });

  it('is ASCII, because editors hide other white space, or offer to remove it', () => {
    expect(documentText).toMatch(/^[\n -~]+$/);
  });

  it('has no relative link, which would lead nowhere from most places of the file', () => {
    expect(openApiDocument.info.description).toBeTruthy();
    expect(documentText).not.toMatch(/\]\((?!https:)/);
  });

  const bodies = responses.map(({ content = {} }) => withSchemas(content)).join();

  it('allows further members in the body of a response, because generated clients would refuse them', () => {
    const objects = bodies.match(/"type":"object"/g) ?? [];

    expect(objects).not.toEqual([]);
    expect(bodies.match(/"additionalProperties":true/g)).toHaveLength(objects.length);
  });

  it('has no enumeration in the body of a response, because generated clients would refuse a new value', () => {
    expect(bodies).toContain('"x-extensible-enum"');
    expect(
      bodies,
      'make it a text, and describe it, as `status` of `Pet` in lib/schemas.ts and openapi/pets.ts',
    ).not.toContain('"enum"');
  });

  const patterns = [...documentText.matchAll(/"pattern": (".*")/g)].map(([, text = '']): string =>
    JSON.parse(text),
  );

  it('has patterns that mean the same to code that searches a text and to code that matches the whole text', () => {
    expect(patterns.length).toBeGreaterThan(0);
    // An alternative outside of groups would need anchors of its own.
    for (const pattern of patterns) expect(withoutGroups(pattern)).toMatch(/^\^[^|]*\$$/);
  });

  it('has patterns that JavaScript reads with each flag, and other dialects by the same escapes', () => {
    for (const pattern of patterns) {
      for (const flag of ['', 'u', 'v']) expect(() => new RegExp(pattern, flag)).not.toThrow();
      // The escapes that RE2, PCRE, Python, Java and .NET share. RE2 and PCRE lack `\u0085`.
      expect(pattern).not.toMatch(/\\(?![dDnrsStwW])\w/);
    }
  });
});

describe('the pattern of a name', () => {
  const { pattern } = components.schemas.NewPet.properties.name;
  const codePoints = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint);
  const refusedBy = (regex: RegExp) =>
    codePoints.filter((codePoint) => !regex.test(String.fromCodePoint(codePoint)));
  const whiteSpace = refusedBy(/\P{White_Space}/u);

  it.each(['', 'u', 'v'])('refuses exactly white space in JavaScript with the flag %j', (flag) => {
    expect(refusedBy(new RegExp(pattern, flag))).toEqual(whiteSpace);
  });
});

describe('a response header', () => {
  const described = [components, ...responses].flatMap((each): [string, Document][] =>
    Object.entries<Document>(each.headers ?? {}).filter(([, { $ref }]) => !$ref),
  );

  it.each(described)('has an example that its schema accepts: %s', (_, { schema, example }) => {
    expect(typeof example).toBe('string');
    expect(new Ajv2020().validate(schema, example)).toBe(true);
  });
});

const shapeOf = (schema: z.ZodMiniType | undefined) =>
  (schema as z.ZodMiniObject | undefined)?.shape ?? {};

/** Each field of a request body, and each parameter, which is sent as text. */
const fields = operationEntries.flatMap(([name, { method, path, input }]) => {
  const { parameters, requestBody } = paths[path][method.toLowerCase()];
  const body = requestBody?.content['application/json'].schema.$ref.split('/').at(-1);
  const properties: Document = components.schemas[body]?.properties ?? {};
  const inputs = { ...shapeOf(input.path), ...shapeOf(input.query), ...shapeOf(input.headers) };
  return [
    ...Object.keys(properties).map((field) => ({
      place: `${body}.${field}`,
      described: properties[field],
      schema: shapeOf(input.body)[field] ?? expect.fail(`${body}.${field}`),
      isText: false,
      isRequired: components.schemas[body].required?.includes(field) ?? false,
    })),
    ...parameters.map((parameter: Document) => ({
      place: `${name} ${parameter.name}`,
      described: parameter.schema,
      schema: inputs[parameter.name] ?? inputs[parameter.name.toLowerCase()],
      isText: true,
      isRequired: parameter.required,
    })),
  ];
});

/** Numbers near the bounds of a described schema. */
function numbersNear({ minimum, maximum }: Document) {
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  return fc.oneof(
    fc.constantFrom(0, 1.5, -1, ...bounds.flatMap((bound) => [bound - 1, bound, bound + 1])),
    fc.integer({ min: -200, max: 200 }),
  );
}

/** Values near the bounds of a described schema, and others that no schema accepts. */
function valuesNear(described: Document) {
  const { $ref, maxLength = 300, pattern, ...rest } = described;
  const { enum: allowed = [] } = $ref ? components.schemas[$ref.split('/').at(-1)] : rest;
  const unit = fc.constantFrom('a', '~', '!', ' ', '\n', '\u3000', '\u200b', 'é', '🐕');
  const lengths = [0, 1, 20, maxLength, maxLength + 1];
  return fc.oneof(
    fc.constantFrom(null, true, '', '1', {}, [], ...allowed),
    numbersNear(described),
    // No schema can refuse a lone surrogate.
    anyText.filter((text) => text.isWellFormed()),
    fc.constantFrom(...lengths.map((length) => 'a'.repeat(length))),
    ...lengths.map((length) => fc.string({ unit, minLength: length, maxLength: length })),
    ...(pattern ? [fc.stringMatching(new RegExp(pattern, 'u'))] : []),
  );
}

describe('a value is valid as described if and only if the service accepts it', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(openApiDocument, 'openapi.json');

  it.each(fields)('$place', ({ described, schema, isText }) => {
    const absolute = described.$ref ? { $ref: `openapi.json${described.$ref}` } : described;
    const isDescribed = ajv.compile(absolute);
    // A parameter is text: the digits of an integer, or the string itself.
    const isNumberInText = isText && described.type === 'integer';
    fc.assert(
      fc.property(isNumberInText ? numbersNear(described) : valuesNear(described), (value) => {
        fc.pre(!isText || isNumberInText || typeof value === 'string');
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

it.each(fields)('$place is required if the service refuses a request without it', (field) => {
  expect(field.isRequired).toBe(!field.schema.safeParse(undefined).success);
});

describe('createOpenApiDocument', () => {
  it('marks an operation that is beta', () => {
    const row: Operation = operations.listPets;
    Object.assign(row, { stability: 'beta' });
    onTestFinished(() => void delete row.stability);

    expect(createOpenApiDocument().paths?.[row.path]?.get).toHaveProperty('x-stability', 'beta');
  });
});
