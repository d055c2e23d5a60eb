import { describe, it } from 'vitest';
import { petNamePrefix } from './samplePets.ts';
import { send } from './send.ts';
import { skipBehindGateway } from './serviceUnderTest.ts';
import { expectError } from './universalRules.ts';

// A service that took one of these by mistake would store a sold pet with a telling name.
const sold = '"status":"sold"';
const named = `"name":"${petNamePrefix} must be refused"`;
const withName = (name: string) => `{"name":${name},"categoryId":1,${sold}}`;
const withCategoryId = (categoryId: string) => `{${named},"categoryId":${categoryId},${sold}}`;
const withStatus = (status: string) => `{${named},"categoryId":1,"status":${status}}`;
const withMember = (name: string, value: string) =>
  `{${named},"categoryId":1,${sold},"${name}":${value}}`;

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('createPet', () => {
  it.for(['""', '"   "', '" \\t\\u00a0\\u2003\\u0085\\n"', '"\\ud83d"', '7', 'null', '["Rex"]'])(
    'responds 400 for the name %s',
    async (name) => {
      const refused = await send('POST', '/pets', { body: withName(name) });

      expectError(refused, 'bad_request', /^name must (be .+ 1 to 255|not contain lone) .+\.$/);
    },
  );

  it('responds 400 for a name of 256 characters', async () => {
    const body = withName(JSON.stringify(petNamePrefix.padEnd(256, 'x')));

    expectError(await send('POST', '/pets', { body }), 'bad_request', /^name must/);
  });

  it.for([
    ['above int64', '9223372036854775808'],
    ['below int64', '-9223372036854775809'],
    ['with a fraction that a double rounds off', '9007199254740993.5'],
    ['0.1', '0.1'],
    ['1e-1', '1e-1'],
    ['1e19', '1e19'],
    ['1e400', '1e400'],
    ['with a huge negative exponent', '1e-999999999999999999999'],
    ['in quotes', '"7"'],
    ['true', 'true'],
    ['null', 'null'],
    ['in an array', '[7]'],
    ['{}', '{}'],
    ['of 60,000 digits', `1${'0'.repeat(60_000)}1`],
  ] as const)('responds 400 for a categoryId %s', async ([, categoryId]) => {
    const refused = await send('POST', '/pets', { body: withCategoryId(categoryId) });

    const range = /^categoryId must be .+ -9223372036854775808 to 9223372036854775807\.$/;
    expectError(refused, 'bad_request', range);
  });

  it.for(['"Sold"', '"lost"', '""', 'null', '1', '["sold"]'])(
    'responds 400 for the status %s',
    async (status) => {
      const refused = await send('POST', '/pets', { body: withStatus(status) });

      expectError(refused, 'bad_request', /^status must be .+available, pending, sold\.$/);
    },
  );

  it.for([
    ['no name', `{"categoryId":1,${sold}}`, /^name must/],
    ['no categoryId', `{${named},${sold}}`, /^categoryId must/],
    ['three faults', '{"status":"lost"}', /^name must .+; categoryId must .+; status must .+\.$/],
    ['an empty body', '', /JSON|object/],
    ['null', 'null', /^The body must be a JSON object with the members name and categoryId\.$/],
    ['an array', `[${withCategoryId('1')}]`, /object.+name.+categoryId/],
    ['a string', '"text"', /object/],
    ['a number', '7', /object/],
    ['a cut body', '{"name":', /JSON: it is cut off\.$/],
    ['a trailing comma', withMember('x', '1,'), /JSON.+line 1 column \d+/],
    ['single quotes', "{'name':'Rex'}", /JSON.+line 1 column 2/],
    ['a leading zero', withCategoryId('01'), /JSON.+line 1/],
    ['a fault in line 2', '{"name":"Rex"\n  "categoryId":1}', /JSON.+line 2 column 3/],
    [
      'a fault in line 12',
      `{${'\n'.repeat(11)}${' '.repeat(11)}name`,
      /JSON: look at line 12 column 12\.$/,
    ],
    ['NaN', 'NaN', /^The body is not valid JSON\.$/],
    ['65 levels', withMember('x', nested(64)), /64 levels/],
    ['30,000 levels', '['.repeat(30_000), /64 levels/],
    ['__proto__', withMember('__proto__', '{"status":"sold"}'), /__proto__/],
    ['__proto__ around the pet', `{"__proto__":${withCategoryId('1')}}`, /__proto__/],
    ['__proto__ further down', withMember('x', '{"__proto__":{"a":1}}'), /__proto__/],
    ['__proto__ in escapes', withMember('\\u005f_proto__', '{"a":1}'), /__proto__/],
    ['constructor.prototype', withMember('constructor', '{"prototype":{}}'), /constructor/],
  ] as const)('responds 400 for %s', async ([, body, message]) => {
    expectError(await send('POST', '/pets', { body }), 'bad_request', message);
  });

  it('responds 400 without a body', async () => {
    const headers = { 'Content-Type': 'application/json' };

    expectError(await send('POST', '/pets', { headers }), 'bad_request', /name.+categoryId/);
  });

  it.for([
    ['a byte order mark', Buffer.from(`\uFEFF${withCategoryId('1')}`), /JSON/],
    ['bytes that are not UTF-8', Buffer.from(withName('"R\xe9x"'), 'latin1'), /UTF-8/],
  ] as const)('responds 400 for %s', async ([, bytes, message], context) => {
    skipBehindGateway(context, 'remove or replace such bytes');

    const body = Uint8Array.from(bytes);
    expectError(await send('POST', '/pets', { body }), 'bad_request', message);
  });

  it('responds 413 for a body of more than 64 KiB', async () => {
    const body = withCategoryId('1').padEnd(64 * 1024 + 1);

    expectError(await send('POST', '/pets', { body }), 'payload_too_large', /65536 bytes/);
  });

  it('counts bytes and not characters', async () => {
    const body = withMember('note', `"${'é'.repeat(33_000)}"`);

    expectError(await send('POST', '/pets', { body }), 'payload_too_large', /65536 bytes/);
  });

  it.for([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/plain; is=application/json',
    'json',
    '',
  ])('responds 415 for the content type "%s"', async (mediaType, context) => {
    if (mediaType === '') skipBehindGateway(context, 'drop an empty header');
    const headers = { 'Content-Type': mediaType };
    const refused = await send('POST', '/pets', { headers, body: withCategoryId('1') });

    expectError(refused, 'unsupported_media_type', /application\/json/);
  });
});
