import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { handler as createPet } from '../../../../functions/createPet.ts';
import { handler as listPets } from '../../../../functions/listPets.ts';
import { issueApiKey } from '../../../../infra/tools/apiKeyRegistry.ts';
import { apiKeyDigest, apiKeyId, createApiKey } from '../../../../lib/apiKeys/apiKey.ts';
import { dynamoDb } from '../../../../lib/dynamodb/client.ts';
import { apiKey, call, registry, restEvent } from '../../../helpers/api.ts';
import { captureLog } from '../../../helpers/captureLog.ts';

const bearer = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });

describe('callerAuthenticated', () => {
  it.each([['Bearer'], ['bearer'], ['BEARER']])(
    'accepts a live key after the scheme %s',
    async (scheme) => {
      const { status } = await call(listPets, {
        headers: { Authorization: `${scheme} ${apiKey}` },
      });

      expect(status).toBe(200);
    },
  );

  it.each([
    ['absent', {}],
    ['empty', { Authorization: '' }],
    ['of another scheme', { Authorization: `Basic ${apiKey}` }],
    ['a key alone', { Authorization: apiKey }],
    ['a scheme alone', { Authorization: 'Bearer ' }],
    ['of a scheme that ends alike', { Authorization: `NoBearer ${apiKey}` }],
    ['of two lines', { Authorization: `Bearer ${apiKey}\nx` }],
  ])('answers 401 with a plain challenge where the header is %s', async (_case, headers) => {
    const event = { headers, multiValueHeaders: null };

    const answer = await call(listPets, { event });

    expect(answer.status).toBe(401);
    expect(answer.json).toEqual({
      code: 'unauthorized',
      message: 'Send an API key in the header Authorization: Bearer <API_KEY>.',
      status: 401,
    });
    expect(answer.headers['WWW-Authenticate']).toBe('Bearer realm="petstore"');
  });

  it.each([
    ['random', 'guess'],
    ['in another case', apiKey.toUpperCase()],
    ['mistyped', `${apiKey.slice(0, -8)}xxxxxxxx`],
    ['cut', apiKey.slice(0, -1)],
    ['well-formed, but never issued', createApiKey('test')],
    ['of another stage', createApiKey('v1-production')],
    ['two keys', `${apiKey} ${apiKey}`],
    ['two keys with a comma', `${apiKey}, Bearer ${apiKey}`],
    ['followed by a space that is none of HTTP', `${apiKey}\u00a0`],
    ['ten kilobytes long', `ps_test_${'A'.repeat(10_240)}`],
    ['ten kilobytes of spaces and a letter', `${' '.repeat(10_240)}x`],
  ])('answers 401 with invalid_token for a key that is %s', async (_case, key) => {
    const { status, json, headers } = await call(listPets, bearer(key));

    expect(status).toBe(401);
    expect(json).toEqual({
      code: 'unauthorized',
      message:
        'The API key is not valid: it is mistyped, expired, revoked or of another deployment.',
      status: 401,
    });
    expect(headers['WWW-Authenticate']).toBe('Bearer realm="petstore", error="invalid_token"');
  });

  it.each([
    ['both with a live key', [`Bearer ${apiKey}`, `Bearer ${apiKey}`]],
    ['with a half of the credentials each', ['Bearer ', apiKey]],
  ])('answers 401 for two Authorization headers, %s', async (_case, Authorization) => {
    const event = restEvent();
    event.multiValueHeaders = { Authorization };

    const { statusCode } = await listPets(event);

    expect(statusCode).toBe(401);
  });

  it('answers 401 for two Authorization headers in two spellings', async () => {
    const event = restEvent();
    event.multiValueHeaders = { Authorization: ['Bearer x'], authorization: [`Bearer ${apiKey}`] };

    const { statusCode } = await listPets(event);

    expect(statusCode).toBe(401);
  });

  it('answers 401 before it looks at the body', async () => {
    const { status } = await call(createPet, { body: '{', headers: { Authorization: '' } });

    expect(status).toBe(401);
  });

  it('logs nothing of a live key, nor of one that was never issued', async () => {
    const key = await issueApiKey(registry, { name: 'unlogged' });
    const log = captureLog();

    await call(listPets, bearer(key));
    await call(listPets, bearer(createApiKey('test')));

    expect(log.text()).toBe('');
  });

  it('answers 401 for a key whose record is damaged, and logs its id', async () => {
    const key = createApiKey('test');
    const Item = { digest: apiKeyDigest(key), name: 'without a date' };
    await dynamoDb.send(new PutCommand({ TableName: registry.tableName, Item }));
    const log = captureLog();

    const { status } = await call(listPets, bearer(key));

    expect(status).toBe(401);
    expect(log.lines()).toMatchObject([
      {
        level: 'ERROR',
        code: 'api_key_damaged',
        apiKeyId: apiKeyId(apiKeyDigest(key)),
        cause: { message: expect.stringContaining('createdAtEpochSeconds') },
      },
    ]);
    expect(log.text()).not.toContain(key);
  });
});
