import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { handler as getPet } from '../../functions/getPet.ts';
import { apiKey, call } from '../helpers/api.ts';
import { storedItems } from '../helpers/database.ts';

const nameRule =
  'name must be a string of 1 to 255 Unicode characters that are not all white space, without lone surrogates';
const categoryIdRule =
  'categoryId must be an integer from -9223372036854775808 to 9223372036854775807';
const statusRule = 'status must be one of available, pending, sold';

describe('createPet', () => {
  it('answers 201 with the pet and where it can be read', async () => {
    const { status, json, headers } = await call(createPet, {
      body: { name: 'Rex', categoryId: 7, status: 'pending' },
    });

    expect(status).toBe(201);
    expect(json).toEqual({ id: expect.any(Number), name: 'Rex', categoryId: 7, status: 'pending' });
    expect(headers.Location).toBe(
      `https://abc123.execute-api.eu-west-1.amazonaws.com/v1-staging/v1/pets/${json.id}`,
    );
    expect(headers).not.toHaveProperty('Deprecation');
  });

  it('makes a pet available when no status is sent', async () => {
    const { json } = await call(createPet, { body: { name: 'Rex', categoryId: 7 } });

    expect(json.status).toBe('available');
  });

  it('assigns the id itself, and neither keeps nor returns members that it does not know', async () => {
    const { status, json } = await call(createPet, {
      body: { name: 'Rex', categoryId: 7, id: 999_999, owner: 'me', token: 'x', pk: 'COUNTER' },
    });

    expect(status).toBe(201);
    expect(Object.keys(json)).toEqual(['id', 'name', 'categoryId', 'status']);
    expect(json.id).not.toBe(999_999);
    const stored = (await storedItems()).find(({ pk }) => pk === `PET#${json.id}`);
    expect(Object.keys(stored ?? {}).sort()).toEqual(
      ['categoryId', 'id', 'name', 'pk', 'status', 'statusShard', 'token'].sort(),
    );
  });

  it.each([
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['9007199254740993', '9007199254740993'],
    ['-0', '0'],
    ['1.0', '1'],
    ['1e2', '100'],
    ['9223372036854775.807e3', '9223372036854775807'],
    ['10000000000000000000000e-4', '1000000000000000000'],
  ])('keeps categoryId %s digit for digit', async (sent, kept) => {
    const created = await call(createPet, { body: `{"name":"Rex","categoryId":${sent}}` });
    const read = await call(getPet, { petId: String(created.json.id) });

    expect(created.status).toBe(201);
    expect(created.text).toContain(`"categoryId":${kept},`);
    expect(read.text).toBe(created.text);
  });

  it.each([
    ['9223372036854775808'],
    ['-9223372036854775809'],
    ['9007199254740993.5'],
    ['0.1'],
    ['1e-1'],
    ['1e19'],
    ['1e400'],
    ['1e999999999999999999999'],
    ['1e-999999999999999999999'],
    ['"7"'],
    ['true'],
    ['null'],
    ['[7]'],
    ['{}'],
  ])('answers 400 for categoryId %s', async (sent) => {
    const { status, json } = await call(createPet, {
      body: `{"name":"Rex","categoryId":${sent}}`,
    });

    expect(status).toBe(400);
    expect(json).toEqual({ code: 'bad_request', message: `${categoryIdRule}.`, status: 400 });
  });

  it('answers 400 for a categoryId of 60 000 digits', async () => {
    const { status, json } = await call(createPet, {
      body: `{"name":"Rex","categoryId":1${'0'.repeat(60_000)}1}`,
    });

    expect(status).toBe(400);
    expect(json.message).toBe(`${categoryIdRule}.`);
  });

  it.each([
    ['one character', 'R'],
    ['255 characters outside the basic plane', '🐕'.repeat(255)],
    ['white space around', '  Rex\t'],
    ['a byte order mark and a null', '\uFEFFa\0'],
    ['markup and quotes', '"><script>\'\\'],
    ['a name of a prototype', '__proto__'],
    ['decomposed accents, which must not be composed', 'e\u0301'],
  ])('keeps a name of %s verbatim', async (_case, name) => {
    const created = await call(createPet, { body: { name, categoryId: 1 } });
    const read = await call(getPet, { petId: String(created.json.id) });

    expect(created.status).toBe(201);
    expect(read.json.name).toBe(name);
  });

  it.each([
    ['empty', '""'],
    ['256 characters', JSON.stringify('x'.repeat(256))],
    ['spaces', '"   "'],
    ['Unicode white space', JSON.stringify('\u2003\u00a0\u0085\n')],
    ['a lone surrogate', '"\\ud83d"'],
    ['a number', '7'],
    ['null', 'null'],
    ['an array', '["Rex"]'],
  ])('answers 400 for a name that is %s', async (_case, name) => {
    const { status, json } = await call(createPet, { body: `{"name":${name},"categoryId":1}` });

    expect(status).toBe(400);
    expect(json.message).toBe(`${nameRule}.`);
  });

  it.each([['"Sold"'], ['"lost"'], ['""'], ['null'], ['1'], ['["sold"]']])(
    'answers 400 for status %s',
    async (status) => {
      const { json } = await call(createPet, {
        body: `{"name":"Rex","categoryId":1,"status":${status}}`,
      });

      expect(json).toEqual({ code: 'bad_request', message: `${statusRule}.`, status: 400 });
    },
  );

  it('names all faults in one answer', async () => {
    const { json } = await call(createPet, { body: { status: 'lost' } });

    expect(json.message).toBe(`${nameRule}; ${categoryIdRule}; ${statusRule}.`);
  });

  it.each([['null'], ['[]'], ['[{"name":"Rex","categoryId":1}]'], ['"text"'], ['7'], ['true']])(
    'answers 400 for the body %s, which is no object',
    async (body) => {
      const { status, json } = await call(createPet, { body });

      expect(status).toBe(400);
      expect(json.message).toBe(
        'The body must be a JSON object with the members name and categoryId.',
      );
    },
  );

  it('answers 400 where there is no body', async () => {
    const { status, json } = await call(createPet, { event: { body: null } });

    expect(status).toBe(400);
    expect(json.message).toBe(
      'The body must be a JSON object with the members name and categoryId.',
    );
  });

  it.each([
    ['{"name":', 'The body is not valid JSON: it is cut off.'],
    ['', 'The body is not valid JSON: it is cut off.'],
    ['{"name":"Rex",}', 'The body is not valid JSON: look at line 1 column 15.'],
    ['{"name":"Rex"\n  "categoryId":1}', 'The body is not valid JSON: look at line 2 column 3.'],
    [
      `{"name":"Rex"${'\n'.repeat(11)}"x":1}`,
      'The body is not valid JSON: look at line 12 column 1.',
    ],
    ["{'name':'Rex'}", 'The body is not valid JSON: look at line 1 column 2.'],
    ['{"name":"Rex","categoryId":01}', 'The body is not valid JSON: look at line 1 column 29.'],
    ['NaN', 'The body is not valid JSON.'],
  ])('answers 400 for the malformed body %j and says where', async (body, message) => {
    const { status, json } = await call(createPet, { body });

    expect(status).toBe(400);
    expect(json).toEqual({ code: 'bad_request', message, status: 400 });
  });

  it.each([65, 2277, 30_000])(
    'answers 400 for a body that is nested %s levels deep',
    async (depth) => {
      const nested = `${'{"":'.repeat(depth - 1)}1${'}'.repeat(depth - 1)}`;

      const { status, json } = await call(createPet, {
        body:
          nested.length < 60_000
            ? `{"name":"Rex","categoryId":1,"x":${nested}}`
            : '['.repeat(depth),
      });

      expect(status).toBe(400);
      expect(json.message).toBe(
        'The body must not be nested deeper than 64 levels: send a flat JSON object.',
      );
    },
  );

  it('ignores an unknown member that is nested less deeply, and brackets in a text', async () => {
    const nested = '['.repeat(63) + ']'.repeat(63);
    const name = '[{"\\'.repeat(40);

    const { status, json } = await call(createPet, {
      body: `{"name":${JSON.stringify(name)},"categoryId":1,"x":${nested}}`,
    });

    expect(status).toBe(201);
    expect(json.name).toBe(name);
  });

  it.each([
    ['{"name":"Rex","categoryId":1,"__proto__":{"status":"sold"}}'],
    ['{"name":"Rex","categoryId":1,"constructor":{"prototype":{"status":"sold"}}}'],
  ])('answers 400 for prototype pollution by %s', async (body) => {
    const { status, json } = await call(createPet, { body });

    expect(status).toBe(400);
    expect(json.message).toContain('__proto__');
    expect({}).not.toHaveProperty('status');
  });

  it.each([
    [undefined],
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['Application/JSON ; charset="utf-8"; x=y'],
    ['application/vnd.pets+json'],
    ['application/x!#$&^_.pets+json'],
  ])('takes the content type %s for JSON', async (contentType) => {
    const event = { body: '{"name":"Rex","categoryId":1}', httpMethod: 'POST' };
    const { status } = await call(createPet, {
      event,
      ...(contentType !== undefined && { headers: { 'content-type': contentType } }),
    });

    expect(status).toBe(201);
  });

  it.each([
    ['text/plain'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonp'],
    ['text/plain; is=application/json'],
    ['json'],
    [''],
  ])('answers 415 for the content type %j', async (contentType) => {
    const { status, json } = await call(createPet, {
      body: '{"name":"Rex","categoryId":1}',
      headers: { 'Content-Type': contentType },
    });

    expect(status).toBe(415);
    expect(json).toEqual({
      code: 'unsupported_media_type',
      message: 'The Content-Type must be application/json.',
      status: 415,
    });
  });

  it('takes a body of exactly 64 KiB and answers 413 for one byte more', async () => {
    const empty = '{"name":"Rex","categoryId":1,"note":""}';
    const fitting = empty.replace('""', `"${'é'.repeat((65_536 - empty.length) / 2)}"`);
    expect(Buffer.byteLength(fitting)).toBe(65_535);

    const accepted = await call(createPet, { body: `${fitting} ` });
    const refused = await call(createPet, { body: `${fitting}  ` });

    expect(accepted.status).toBe(201);
    expect(refused.status).toBe(413);
    expect(refused.json).toEqual({
      code: 'payload_too_large',
      message: 'The body must not exceed 65536 bytes.',
      status: 413,
    });
  });

  it('reads a body that the gateway encoded as base64', async () => {
    const body = Buffer.from('{"name":"Réx","categoryId":9007199254740993}').toString('base64');
    const { status, text } = await call(createPet, { event: { body, isBase64Encoded: true } });

    expect(status).toBe(201);
    expect(text).toContain('"name":"Réx","categoryId":9007199254740993');
  });

  it('judges the media type before the bytes and the size', async () => {
    const headers = { 'Content-Type': 'image/png' };
    const body = Buffer.from([0xff, 0xfe]).toString('base64');

    const binary = await call(createPet, { headers, event: { body, isBase64Encoded: true } });
    const large = await call(createPet, { headers, body: 'x'.repeat(70_000) });

    expect([binary.status, large.status]).toEqual([415, 415]);
  });

  it.each([true, false])(
    'answers 400 for a byte order mark, base64 or not (%s)',
    async (isBase64Encoded) => {
      const text = '\uFEFF{"name":"Rex","categoryId":1}';
      const body = isBase64Encoded ? Buffer.from(text).toString('base64') : text;

      const { status } = await call(createPet, { event: { body, isBase64Encoded } });

      expect(status).toBe(400);
    },
  );

  it('answers 400 for bytes that are not UTF-8, which could not be stored as sent', async () => {
    const body = Buffer.from('{"name":"R\xe9x","categoryId":1}', 'latin1').toString('base64');
    const { status, json } = await call(createPet, { event: { body, isBase64Encoded: true } });

    expect(status).toBe(400);
    expect(json.message).toBe('The body must be JSON in UTF-8.');
  });

  it('stores nothing of a request that it refuses', async () => {
    const before = await storedItems();

    await call(createPet, { body: { name: '', categoryId: 1 } });
    await call(createPet, { body: '{' });
    await call(createPet, {
      body: { name: 'Rex', categoryId: 1 },
      headers: { Authorization: `Bearer ${apiKey}x` },
    });

    expect(await storedItems()).toHaveLength(before.length);
  });
});
