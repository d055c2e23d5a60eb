import { expect, it, vi } from 'vitest';
import { tableName } from '../../lib/tables.ts';
import { deploy, waitForIndexes } from '../../tools/deploy.ts';
import { durableName, otherName } from '../helpers/bareStage.ts';
import { listen } from '../helpers/listen.ts';
import { runCommandHere } from '../helpers/runCommandHere.ts';

// test/e2e/deploy.ts shows what the command does with an emulator of AWS. Here, AWS only says whose credentials it got.

vi.mock(import('../../infra/stages.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const settingsOf = (name: string) => ({
    ...original.settingsOf(name),
    account: original.settingsOf(name).isDurable ? { id: '111122223333' } : {},
  });
  return { ...original, settingsOf };
});

/** Runs the command with credentials of an account. */
async function deployAs(account: string, stage: string) {
  const AWS_ENDPOINT_URL = await listen((_request, response) => {
    const result = `<GetCallerIdentityResult><Account>${account}</Account></GetCallerIdentityResult>`;
    response
      .setHeader('Content-Type', 'text/xml')
      .end(`<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`);
  });
  const environment = { AWS_ENDPOINT_URL, CDK_APP: 'node --eval "process.exit(1)"' };
  return runCommandHere(deploy, [stage], environment);
}

it('deploys nothing if the credentials belong to another account than the settings name', async () => {
  const { exitCode, stderr } = await deployAs('444455556666', durableName);

  expect(stderr).toBe(
    `${durableName} belongs to the account 111122223333, and the credentials to 444455556666.\n`,
  );
  expect(exitCode).toBe(1);
});

it.each([
  ['are of the account that the settings name', '111122223333', durableName],
  ['are of any account, and the settings name none', '444455556666', otherName],
])('fails if the synthesis fails, when the credentials %s', async (_, account, stage) => {
  const { exitCode, stderr, stdout } = await deployAs(account, stage);

  expect(stderr).toContain('cdk synth failed, so nothing further was deployed.');
  expect(stdout).toBe('');
  expect(exitCode).toBe(1);
});

it('reports a stage that the settings lack as wrong usage', async () => {
  const { exitCode, stderr } = await runCommandHere(deploy, ['v1-alice']);

  expect(stderr).toContain('infra/stages.ts has no stage v1-alice');
  expect(exitCode).toBe(2);
});

it('waits until each index is active, and says for which', async () => {
  const statuses = ['CREATING', 'CREATING', 'ACTIVE'];
  const AWS_ENDPOINT_URL = await listen((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const isPets = JSON.parse(body).TableName === tableName(otherName, 'pets');
      const index = { IndexName: 'byStatus', IndexStatus: isPets ? statuses.shift() : undefined };
      const Table = isPets ? { GlobalSecondaryIndexes: [index] } : {};
      response
        .setHeader('Content-Type', 'application/x-amz-json-1.0')
        .end(JSON.stringify({ Table }));
    });
  });
  vi.stubEnv('AWS_ENDPOINT_URL', AWS_ENDPOINT_URL);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', AWS_ENDPOINT_URL);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

  await waitForIndexes({ name: otherName }, 1);

  const line = `Waiting for the index byStatus of ${tableName(otherName, 'pets')}: CREATING.\n`;
  expect(printed.mock.calls.map(([text]) => text)).toEqual([line, line]);
  expect(statuses).toEqual([]);
});
