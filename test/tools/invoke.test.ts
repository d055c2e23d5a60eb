import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { petCollection } from '../../lib/tables.ts';
import { localStage } from '../../local/localStage.ts';
import { openLocalService } from '../../local/openLocalService.ts';
import { invoke as command } from '../../tools/invoke.ts';
import { temporaryFolder } from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import { petText } from '../helpers/samplePets.ts';

const folder = await temporaryFolder();

const invoke = (...args: string[]) => runCommandHere(command, ['--data', folder, ...args]);

/** Invokes a handler, and returns its response. */
async function respond(...args: string[]) {
  const { exitCode, stdout, stderr } = await invoke(...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

describe('npm run invoke', () => {
  it.each([
    ['JSON', `{"body": ${petText()}}`],
    ['a text', JSON.stringify({ body: petText() })],
  ])('adds a pet whose body is %s to the data folder, and finds it', async (_form, event) => {
    const { statusCode, body } = await respond('createPet', event);
    const pathParameters = { petId: String(JSON.parse(body).id) };

    const read = await respond('getPet', JSON.stringify({ pathParameters }));

    expect(statusCode).toBe(201);
    expect(read).toMatchObject({ statusCode: 200, body });
  });

  it.each([
    ['createPet', '{"body": {"name": "Rex", "categoryId": 9007199254740993.5}}'],
    ['createPet', '{"body": "{\\"name\\": \\"Rex\\""}'],
    ['listPets', '{"queryStringParameters": {"limit": "0"}}'],
    ['listPets', '{"multiValueQueryStringParameters": {"limit": ["0"]}}'],
  ])('sends %s the event as it is given, so it responds 400 to %s', async (name, event) => {
    expect(await respond(name, event)).toMatchObject({ statusCode: 400 });
  });

  it.each([
    [200, '{"headers": {"authorization": "Bearer KEY"}}'],
    [200, '{"multiValueHeaders": {"authorization": ["Bearer KEY"]}}'],
    [401, '{"headers": {"AUTHORIZATION": "Bearer other"}}'],
    [401, '{"headers": {"Authorization": null}}'],
  ])('responds %i to the Authorization of the event, and adds none: %s', async (status, event) => {
    const { apiKey, stop } = await openLocalService({ folder });
    await stop();

    const { statusCode } = await respond('listPets', event.replace('KEY', apiKey));

    expect(statusCode).toBe(status);
  });

  it('reads an event from a file, also with a byte order mark', async () => {
    const file = join(folder, 'event.json');
    await writeFile(file, '\uFEFF{"headers": {"authorization": "é"}}');

    expect(await respond('listPets', '--event', file)).toMatchObject({ statusCode: 401 });
  });

  it('prints the lines of the log beside the response, on the standard error', async () => {
    const damagedFolder = await temporaryFolder();
    const { stop } = await openLocalService({ folder: damagedFolder });
    const damaged = { pk: 'PET#999', id: 999n, collection: petCollection };
    const TableName = localStage.tableNames.pets;
    await dynamoDb().send(new PutCommand({ TableName, Item: damaged }));
    await stop();

    const { stdout, stderr } = await invoke('listPets', '--data', damagedFolder);

    expect(JSON.parse(stdout).statusCode).toBe(200);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'item_damaged', pk: 'PET#999' });
  });

  it('exits with 2 for an event whose quotes the shell changed, and says where', async () => {
    const { exitCode, stdout, stderr } = await invoke('getPet', "{'path': '/v1/pets/1'}");

    expect(stderr).toContain("error: the event cannot be read: Expected property name or '}'");
    expect([exitCode, stdout]).toEqual([2, '']);
  });

  it('creates no folder of a mistyped name', async () => {
    const typo = join(folder, 'typo');

    const { exitCode, stderr } = await invoke('listPets', '--data', typo);

    expect(stderr).toContain('There is no such folder. npm start creates one.');
    expect([exitCode, existsSync(typo)]).toEqual([2, false]);
  });
});
