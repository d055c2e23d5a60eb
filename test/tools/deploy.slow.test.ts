import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { stackName, tablesStackName } from '../../infra/core/stackNames.ts';
import { otherName } from '../helpers/bareStage.ts';
import { listen } from '../helpers/listen.ts';
import { startScript, temporaryFolder } from '../helpers/npmScript.ts';

// Real processes and signals. deploy.test.ts has the steps of a release.

const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
<Account>111122223333</Account><UserId>test</UserId><Arn>arn:aws:iam::111122223333:user/test</Arn>
</GetCallerIdentityResult></GetCallerIdentityResponse>`;

/** Writes an assembly of two empty stacks, which the CDK synthesizes in no time. Returns its folder. */
async function writeAssembly(): Promise<string> {
  const folder = await temporaryFolder();
  const stack = {
    type: 'aws:cloudformation:stack',
    environment: 'aws://111122223333/eu-west-1',
    properties: { templateFile: 'template.json' },
  };
  const names = [tablesStackName(otherName), stackName(otherName)];
  const artifacts = Object.fromEntries(names.map((name) => [name, stack]));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify({ version: '36.0.0', artifacts }));
  await writeFile(join(folder, 'template.json'), '{"Resources":{}}');
  return folder;
}

it('npm run deploy shows what the CDK prints, and a signal ends both', async () => {
  const update = Promise.withResolvers<ServerResponse>();
  const aws = await listen(async (request, response) => {
    // CloudFormation does not respond.
    if ((await text(request)).includes('GetCallerIdentity')) response.end(identity);
    else update.resolve(response);
  });
  const deploy = startScript('deploy', [otherName], {
    AWS_REGION: 'eu-west-1',
    AWS_ENDPOINT_URL: aws,
    CDK_APP: `cp -r ${await writeAssembly()}/. "$CDK_OUTDIR"`,
  });

  const response = await Promise.race([update.promise, deploy.exited.then(() => undefined)]);
  const closed = response && once(response, 'close');
  deploy.process.kill('SIGTERM');

  expect(await deploy.exited).toBe(1);
  expect(deploy.stderr).toContain('Synthesis time');
  expect(deploy.stderr).toContain(`still be working on ${tablesStackName(otherName)}.`);
  // So the CDK has ended.
  await closed;
});

it('the second Ctrl+C ends npm run deploy while it waits for credentials', async () => {
  const folder = await temporaryFolder();
  const [config, started] = [join(folder, 'config'), join(folder, 'started')];
  const program = `sh -c "touch ${started}; exec sleep 30"`;
  await writeFile(config, `[default]\nregion = eu-west-1\ncredential_process = ${program}\n`);
  const deploy = startScript('deploy', [otherName], {
    AWS_ACCESS_KEY_ID: undefined,
    AWS_CONFIG_FILE: config,
  });
  await expect.poll(() => existsSync(started)).toBe(true);

  const again = setInterval(() => deploy.process.kill('SIGINT'), 500);
  await deploy.exited;
  clearInterval(again);

  expect(deploy.process.signalCode).toBe('SIGINT');
});
