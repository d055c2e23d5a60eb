import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { petCollection } from '../../lib/tables.ts';
import { localStage } from '../../local/localStage.ts';
import { openLocalService } from '../../local/openLocalService.ts';
import { invoke as invokeCommand } from '../../tools/invoke.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { petText } from '../helpers/samplePets.ts';

const folder = await temporaryFolder();

const invoke = (...args: string[]) => runCommandHere(invokeCommand, [...args, '--data', folder]);

/** Invokes a handler, and returns its response. */
async function respond(...args: string[]) {
  const { exitCode, stdout, stderr } = await invoke(...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('npm run invoke', () => {
  it('adds a pet to a new data folder, and finds it by parameters or by a path', async () => {
    const created = await respond('createPet', `{"body": ${petText()}}`);
    const { id } = JSON.parse(created.body);

    const events = [
      `{"pathParameters": {"petId": ${id}}}`,
      `{"pathParameters": {"petId": "${id}"}, "queryStringParameters": null}`,
      `{"path": "/v1/pets/${id}"}`,
      `{"path": "/v1/pets/%3${id}?x=1"}`,
    ];
    for (const event of events) {
      expect(await respond('getPet', event)).toMatchObject({ statusCode: 200, body: created.body });
    }
    expect(created.statusCode).toBe(201);
  });

  it.each([
    '{"queryStringParameters": {"limit": 0}}',
    '{"multiValueQueryStringParameters": {"limit": [0]}}',
    '{"path": "/v1/pets?limit=0"}',
  ])('passes on the query of %s', async (event) => {
    expect(await respond('listPets', event)).toMatchObject({ statusCode: 400 });
  });

  it.each([
    [200, '{"headers": {"authorization": "Bearer KEY"}}'],
    [200, '{"multiValueHeaders": {"authorization": ["Bearer KEY"]}}'],
    [401, '{"headers": {"AUTHORIZATION": "Bearer other"}}'],
    [401, '{"headers": {"Authorization": null}}'],
  ])('responds %i to the Authorization of the event, and adds none: %s', async (status, event) => {
    await respond('listPets'); // makes the key
    const apiKey = await readFile(join(folder, 'api-key'), 'utf8');

    const { statusCode } = await respond('listPets', event.replace('KEY', apiKey));

    expect(statusCode).toBe(status);
  });

  it('sends each number of a body as it is written, so that the handler decides on its digits', async () => {
    const event = '{"body": {"name": "Rex", "categoryId": 9007199254740993.5}}';

    expect(await respond('createPet', event)).toMatchObject({ statusCode: 400 });
  });

  it('turns a number outside of the body into text, and prints each response to it', async () => {
    const event = `{"body": ${petText()}, "requestContext": {"requestId": 9223372036854775807}}`;

    const { headers } = await respond('createPet', event);

    expect(headers['X-Request-Id']).toBe('9223372036854775807');
  });

  it('reads an event from a file, also with a byte order mark', async () => {
    const file = join(folder, 'event.json');
    await writeFile(file, '\uFEFF{"headers": {"authorization": "é"}}');

    expect(await respond('listPets', '--event', file)).toMatchObject({ statusCode: 401 });
  });

  it('prints the lines of the log beside the response, on the standard error', async () => {
    const { stop } = await openLocalService({ folder });
    const damaged = { pk: 'PET#999', id: 999n, collection: petCollection };
    const TableName = localStage.tableNames.pets;
    await dynamoDb().send(new PutCommand({ TableName, Item: damaged }));
    await stop();

    const { stdout, stderr } = await invoke('listPets');

    expect(JSON.parse(stdout).statusCode).toBe(200);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'item_damaged', pk: 'PET#999' });
  });

  it.each([
    // The shell changed its quotes.
    ["{'path': '/v1/pets/1'}", "Expected property name or '}'"],
    ['null', 'it must be a JSON object'],
    ['7', 'it must be a JSON object'],
    ['[]', 'it must be a JSON object'],
    [
      '{"querystringparameters": {"limit": 5}}',
      'no event has querystringparameters. Use resource, path',
    ],
    [
      '{"httpMethod": "POST", "pathParameters": {"petId": 1}}',
      'POST /v1/pets/1 is no request of getPet',
    ],
    ['{"path": "/v1/pets"}', 'GET /v1/pets is no request of getPet'],
  ])('exits with 2 for the event %s, and says what to change', async (event, problem) => {
    const { exitCode, stdout, stderr } = await invoke('getPet', event);

    expect(stderr).toContain(`error: the event cannot be read: ${problem}`);
    expect([exitCode, stdout]).toEqual([2, '']);
  });

  it('creates no folder of a mistyped name', async () => {
    const typo = join(folder, 'typo');

    const { exitCode, stderr } = await runCommandHere(invokeCommand, ['listPets', '--data', typo]);

    expect(stderr).toContain('There is no such folder. npm start creates one.');
    expect([exitCode, existsSync(typo)]).toEqual([2, false]);
  });
});
