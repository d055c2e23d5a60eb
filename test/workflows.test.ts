import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const workflows = globSync('.github/workflows/*.yml').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

const textOf = (name: string) =>
  workflows.find(({ file }) => file.endsWith(`/${name}`))?.text ?? '';
const deploy = textOf('deploy.yml');

describe('workflows', () => {
  it('are found', () => {
    expect(workflows.length).toBeGreaterThan(2);
    expect(deploy).not.toBe('');
  });

  it('pin each action to a commit and name its version', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/uses: .*/g) ?? []);
    const actions = uses.filter((line) => !line.startsWith('uses: ./'));

    expect(actions.length).toBeGreaterThan(5);
    expect(actions.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it('pin an action to the same commit everywhere', () => {
    const pins = workflows.flatMap(({ text }) => [...text.matchAll(/uses: ([^.]\S+)@(\S+)/g)]);
    const commitsOf = Map.groupBy(pins, ([, action]) => action);

    for (const [action, found] of commitsOf) {
      expect(new Set(found.map(([, , commit]) => commit)).size, action).toBe(1);
    }
  });

  it('deploy nothing without a Region, and production only after staging', () => {
    const [, staging = '', production = ''] =
      /^ {2}staging:$(.*)^ {2}production:$(.*)/ms.exec(deploy) ?? [];

    expect(staging).toMatch(/^ {4}if: vars\.AWS_REGION != ''$/m);
    expect(production).toMatch(/^ {4}needs: staging$/m);
    expect(production).not.toMatch(/^ {4}if:/m);
  });

  it('release once a month, so that Node.js is updated without a change of ours', () => {
    expect(deploy).toMatch(/^ {2}schedule:\n {4}- cron: '\d+ \d+ 1 \* \*'$/m);
  });

  it('have the whole history wherever they synthesise, which the commit of a function needs', () => {
    const jobs = workflows.flatMap(({ text }) => text.split(/^ {2}(?=[\w-]+:$)/m));
    const withCdk = jobs.filter((job) => /npx cdk (deploy|diff)\b/.test(job));

    expect(withCdk).toHaveLength(2);
    for (const job of withCdk) expect(job).toMatch(/^ {10}fetch-depth: 0$/m);
  });

  it('keep the source maps of each release, also of one that fails', () => {
    expect(textOf('deploy-stage.yml')).toMatch(
      /if: always\(\)\n +uses: actions\/upload-artifact@.*\n +with:\n +name: source-maps-.*\n +path: \.bundles\/maps\n +include-hidden-files: true$/m,
    );
  });

  it('send requests to a stage while it is deployed, so that the alarms of a canary have data', () => {
    expect(textOf('deploy-stage.yml')).toMatch(
      /npm run --silent probe -- --stage "\$STAGE" --\n +npx cdk deploy "PetStore-\$STAGE"/,
    );
  });

  it('add no pet to production when they try it', () => {
    const deployStage = textOf('deploy-stage.yml');

    expect(deployStage).toMatch(/SMOKE_OPTIONS: .+ == 'v1-production' && '--read-only' \|\| ''/);
    expect(deployStage).toMatch(/ smoke -- --base-url "\$base_url" \$SMOKE_OPTIONS$/m);
  });

  it('compare the settings with the quotas of the account before they deploy', () => {
    expect(textOf('deploy-stage.yml')).toMatch(
      /run: npm run --silent preflight -- --stage "\$STAGE"\n.* npx cdk deploy /s,
    );
  });

  it.each(['STAGING', 'PRODUCTION'])(
    'show the difference of %s with the role of its account',
    (name) => {
      const check = textOf('check.yml');
      const [, diff = ''] =
        new RegExp(`vars\\.AWS_DIFF_ROLE_ARN_${name} \\}\\}(.*)`, 's').exec(check) ?? [];

      expect(check).toContain(`vars.AWS_DIFF_ROLE_ARN_${name} != ''`);
      expect(/npx cdk diff (\S+)/.exec(diff)?.[1]).toBe(`PetStore-v1-${name.toLowerCase()}`);
    },
  );

  it.each(workflows)('$file grants no permissions by default', ({ text }) => {
    expect(text).toMatch(/^permissions: \{\}$/m);
  });

  it.each(workflows)('$file uses no stored credentials, only roles by OIDC', ({ text }) => {
    expect(text).not.toMatch(/secrets\.|aws-access-key-id|AWS_SECRET/);
    expect(text.match(/actions\/checkout@/g)?.length).toBe(
      text.match(/persist-credentials: false/g)?.length,
    );
  });
});
