import { describe, it } from 'vitest';
import {
  bodyWith,
  faultyBody,
  faultyBodyMessage,
  notAnObjectMessage,
  refusedValues,
  unknownMember,
} from './petResource.ts';
import { expectError, expectStatus, send, sendUnchecked } from './send.ts';
import { service, skipBehindGateway } from './serviceUnderTest.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('createPet', () => {
  it.for(refusedValues)('responds 400 for %s', async ([, changed, message]) => {
    const refused = await send('POST', '/pets', { body: bodyWith(changed) });

    expectError(refused, 'bad_request', message);
  });

  it.for([
    ['a fault in each member', faultyBody, faultyBodyMessage],
    ['an empty body', '', /JSON|object/],
    ['null', 'null', notAnObjectMessage],
    ['an array', `[${bodyWith()}]`, notAnObjectMessage],
    ['a string', '"text"', /object/],
    ['a number', '7', /object/],
    ['an incomplete body', '{"a":', /JSON: it ends too early\.$/],
    ['brackets in an incomplete string', `{"a":"${'['.repeat(65)}`, /JSON: look at line 1 column/],
    ['an unquoted word', '{"a": friend}', /^The body is not valid JSON\.$/],
    ['a trailing comma', bodyWith({ x: '1,' }), /JSON.+line 1 column \d+/],
    ['single quotes', "{'a':1}", /JSON.+line 1 column 2/],
    ['a leading zero', bodyWith({ x: '01' }), /JSON.+line 1/],
    ['a fault in line 2', '{"a":1\n  "b":1}', /JSON.+line 2 column 3/],
    [
      'a fault in line 12',
      `{${'\n'.repeat(11)}${' '.repeat(11)}name`,
      /JSON: look at line 12 column 12\.$/,
    ],
    ['NaN', 'NaN', /^The body is not valid JSON\.$/],
    ['65 levels', bodyWith({ x: nested(64) }), /64 levels/],
    [
      '65 levels of objects after closing brackets in a text',
      bodyWith({ [unknownMember]: '"]}"', x: `${'{"x":'.repeat(64)}0${'}'.repeat(64)}` }),
      /64 levels/,
    ],
    ['30,000 levels', '['.repeat(30_000), /64 levels/],
    ['__proto__', bodyWith({ ['__proto__']: '{"status":"sold"}' }), /__proto__/],
    ['__proto__ around the pet', `{"__proto__":${bodyWith()}}`, /__proto__/],
    ['__proto__ further down', bodyWith({ x: '{"__proto__":{"a":1}}' }), /__proto__/],
    ['__proto__ in escapes', bodyWith({ '\\u005f_proto__': '{"a":1}' }), /__proto__/],
    ['constructor.prototype', bodyWith({ constructor: '{"prototype":{}}' }), /constructor/],
  ] as const)('responds 400 for %s', async ([, body, message]) => {
    expectError(await send('POST', '/pets', { body }), 'bad_request', message);
  });

  it('responds 400 without a body', async () => {
    const headers = { 'Content-Type': 'application/json' };

    expectError(await send('POST', '/pets', { headers }), 'bad_request', notAnObjectMessage);
  });

  it('responds 400 for a byte order mark', async (context) => {
    skipBehindGateway(context, 'remove it');
    const body = new TextEncoder().encode(`\uFEFF${bodyWith()}`);

    expectError(await send('POST', '/pets', { body }), 'bad_request', /byte order mark/);
  });

  it('responds 400 for a body that is not UTF-8', async () => {
    // An array, because a gateway may replace the byte that is not UTF-8.
    const body = Uint8Array.from(Buffer.from('["R\xe9x"]', 'latin1'));
    const message = service.mode === 'local' ? /UTF-8/ : /UTF-8|JSON object/;

    expectError(await send('POST', '/pets', { body }), 'bad_request', message);
  });

  it('responds 413 for a body of more than 64 KiB', async () => {
    const body = bodyWith().padEnd(64 * 1024 + 1);

    expectError(await send('POST', '/pets', { body }), 'payload_too_large', /65536 bytes/);
  });

  it('responds 413 for a body of 7 MB, which is no JSON', async () => {
    const refused = await sendUnchecked('POST', '/pets', { body: 'a'.repeat(7_000_000) });

    // Lambda takes events of 6 MB, so behind API Gateway the response is the gateway's.
    expectStatus(refused, 413);
  });

  it('counts bytes and not characters', async () => {
    const body = bodyWith({ [unknownMember]: `"${'é'.repeat(33_000)}"` });

    expectError(await send('POST', '/pets', { body }), 'payload_too_large', /65536 bytes/);
  });

  it.for([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-seq',
    'application/json-patch+x',
    'application/json, text/plain',
    'text/plain; is=application/json',
    'json',
    '',
  ])('responds 415 for the content type "%s"', async (mediaType, context) => {
    if (mediaType === '') skipBehindGateway(context, 'drop an empty header');
    const headers = { 'Content-Type': mediaType };
    const refused = await send('POST', '/pets', { headers, body: bodyWith() });

    expectError(refused, 'unsupported_media_type', /application\/json/);
  });
});
