import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../functions/createPet.ts';
import { call } from '../helpers/api.ts';

// How a body is read, before anything of the pet in it counts.

describe('createPet', () => {
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
});
