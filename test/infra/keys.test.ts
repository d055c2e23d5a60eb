import { text } from 'node:stream/consumers';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { localStage } from '../../infra/local/localStage.ts';
import { keys as keysCommand } from '../../infra/tools/keys.ts';
import { apiKeyDigest } from '../../lib/apiKeys/apiKey.ts';
import { config } from '../../lib/config.ts';
import { dynamoDb } from '../../lib/dynamodb/client.ts';
import { stringifyExactJson } from '../../lib/exactJson.ts';
import { describeStacksAnswer } from '../helpers/describeStacksAnswer.ts';
import { listen } from '../helpers/listen.ts';
import {
  type LocalService,
  runScript,
  startService,
  temporaryFolder,
} from '../helpers/npmScript.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';
import '../helpers/stageTables.ts';

const keyForm = /ps_[\w-]+_[\w-]{49}/;
const idForm = /key_[\da-f]{12}/;

const createForStaging = ['create', '--stage', 'v1-staging', '--name', 'partner'];

/** The local stage of the tests' engine, which needs no folder. */
const local = ['--stage', 'local', '--data', 'none'];

/** A function gives a call up after 1,500 ms. */
const beyondFunctionsTimeoutMs = 1_600;

/** Serves the local stage of the tests' engine. */
let service: LocalService;

beforeAll(async () => {
  let stop = () => {};
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: inject('dynamoDbEndpoint') };
  service = await startService(['--in-memory'], environment, '.', (end) => {
    stop = end;
  });
  return () => stop();
});

const keys = (...args: string[]) => runCommandHere(keysCommand, args);
const first = (form: RegExp, text: string) => form.exec(text)?.[0] ?? '';

async function statusWith(baseAddress: string, apiKey: string): Promise<number> {
  const response = await fetch(`${baseAddress}/pets`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  return response.status;
}

describe('npm run keys', () => {
  it('creates a key that a running npm start accepts at once', async () => {
    const folder = await temporaryFolder();
    const { baseAddress } = await startService(['--data', folder]);

    const { exitCode, stdout } = await runScript('keys', [
      ...['create', '--stage', 'local', '--data', folder],
      ...['--name', 'demo'],
    ]);

    expect(exitCode).toBe(0);
    expect(stdout).toContain('Keep the key now');
    expect(await statusWith(baseAddress, first(keyForm, stdout))).toBe(200);
  });

  it('stores no key, but its digest', async () => {
    const created = await keys('create', ...local, '--name', 'kept', '--expires-in-days', '1');
    const rotated = await keys('rotate', ...local, '--id', first(idForm, created.stdout));

    const { Items } = await dynamoDb.send(
      new ScanCommand({ TableName: localStage.tableNames.apiKeys }),
    );

    for (const { stdout } of [created, rotated]) {
      const key = first(keyForm, stdout);
      expect(stringifyExactJson(Items)).toContain(apiKeyDigest(key));
      expect(stringifyExactJson(Items)).not.toContain(key.slice(-49));
    }
  });

  it('lists keys by id, state and name, and never shows a key again', async () => {
    const live = await keys('create', ...local, '--name', 'live one');
    const ended = await keys('create', ...local, '--name', 'ending', '--expires-in-days', '1');
    const revoked = await keys('create', ...local, '--name', 'revoked one');
    await keys('revoke', ...local, '--id', first(idForm, revoked.stdout));

    const { stdout } = await keys('list', ...local);

    expect(stdout).toMatch(/^ID +STATE +CREATED +EXPIRES +NAME\n/);
    expect(stdout).toMatch(
      new RegExp(
        `${first(idForm, live.stdout)}  live     [\\d-]{10}T[\\d:]{5}Z  never              live one\n`,
      ),
    );
    expect(stdout).toMatch(
      new RegExp(
        `${first(idForm, ended.stdout)}  live     [\\d-]{10}T[\\d:]{5}Z  [\\d-]{10}T[\\d:]{5}Z  ending\n`,
      ),
    );
    expect(stdout).toContain(`${first(idForm, revoked.stdout)}  revoked`);
    expect(stdout).not.toMatch(keyForm);
  });

  it('rotates a key without a gap: old and new are live together', async () => {
    const old = await keys('create', ...local, '--name', 'rotating client');

    const renewed = await keys('rotate', ...local, '--id', first(idForm, old.stdout));

    expect(await statusWith(service.baseAddress, first(keyForm, old.stdout))).toBe(200);
    expect(await statusWith(service.baseAddress, first(keyForm, renewed.stdout))).toBe(200);
    expect((await keys('list', ...local)).stdout.match(/ rotating client\n/g)).toHaveLength(2);
  });

  it('makes the new key live as long as the old one was made for', async () => {
    const old = await keys('create', ...local, '--name', 'monthly', '--expires-in-days', '30');

    await keys('rotate', ...local, '--id', first(idForm, old.stdout));

    const inThirtyDays = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const inOneDay = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const { stdout } = await keys('list', ...local);
    const expiries = stdout.matchAll(/live .+Z {2}(\d{4}-\d\d-\d\d)\S+ {2}monthly$/gm);
    expect([...expiries].map(([, day]) => day).sort()).toEqual([inOneDay, inThirtyDays].sort());
  });

  it('ends the old key at once where the grace is none', async () => {
    const old = await keys('create', ...local, '--name', 'leaked');

    const args = ['--id', first(idForm, old.stdout), '--grace-hours', '0'];
    const renewed = await keys('rotate', ...local, ...args);

    expect(await statusWith(service.baseAddress, first(keyForm, old.stdout))).toBe(401);
    expect(await statusWith(service.baseAddress, first(keyForm, renewed.stdout))).toBe(200);
  });

  it('revokes a key that no function remembers at once', async () => {
    const { stdout } = await keys('create', ...local, '--name', 'client');

    const revoked = await keys('revoke', ...local, '--id', first(idForm, stdout));

    expect(revoked.stdout).toContain('within 60 seconds');
    expect(await statusWith(service.baseAddress, first(keyForm, stdout))).toBe(401);
  });

  it('finds the table of a stage on AWS by the outputs of its stack', async () => {
    const asked: string[] = [];
    const cloudFormation = await listen(async (request, response) => {
      asked.push(await text(request));
      response.end(describeStacksAnswer('ApiKeysTableName', config.apiKeysTableName));
    });

    const { stdout, stderr } = await runCommandHere(keysCommand, createForStaging, {
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
    });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/ps_v1-staging_/);
    expect(asked.join('')).toContain('StackName=PetStore-v1-staging');
  });

  it('waits longer than a function for a table on AWS that is far away', async () => {
    let calls = 0;
    const dynamoDb = await listen((_, response) => {
      calls += 1;
      setTimeout(() => response.end('{}'), beyondFunctionsTimeoutMs);
    });
    const cloudFormation = await listen((_, response) => {
      response.end(describeStacksAnswer('ApiKeysTableName', config.apiKeysTableName));
    });

    const { stdout, stderr } = await runScript('keys', createForStaging, {
      AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb,
    });

    expect(stderr).toBe('');
    expect(stdout).toMatch(/ps_v1-staging_/);
    expect(calls).toBe(1);
  });

  it('exits with 1 and says what to change, given no command', async () => {
    const { exitCode, stdout, stderr } = await runScript('keys', []);

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('npm run keys -- create');
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    [['destroy'], 'npm run keys -- create'],
    [['create', '--stage', 'local'], '--name is missing.'],
    [['create', '--name', 'x'], '--stage is missing.'],
    [
      ['create', '--stage', 'v2', '--name', 'x'],
      'There is no stage v2: take local, v1-production, v1-staging.',
    ],
    [
      ['create', '--stage', 'local', '--name', 'x', '--expires-in-days', '0'],
      '--expires-in-days takes',
    ],
    [['rotate', '--stage', 'local', '--id', 'key_000000000000'], 'No API key of local has the id'],
    [['list', '--stage', 'local', '--verbose'], "Unknown option '--verbose'"],
  ])('refuses %j and says what to change', async (args, message) => {
    const { exitCode, stdout, stderr } = await keys(...args, '--data', 'none');

    expect(exitCode).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('    at ');
  });
});
