import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stackName, stages } from '../infra/stages.ts';

const workflows = globSync('.github/workflows/*.yml').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

const textOf = (name: string) =>
  workflows.find(({ file }) => file.endsWith(`/${name}`))?.text ?? '';
const deploy = textOf('deploy.yml');
const deployStage = textOf('deploy-stage.yml');

describe('workflows', () => {
  it('are found', () => {
    expect(workflows.map(({ text }) => text.length > 0)).toEqual([true, true, true]);
  });

  it('pin each action to one commit and name its version', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/uses: [^.].*/g) ?? []);
    const commitsOf = Map.groupBy(new Set(uses), (line) => line.split('@')[0]);

    expect(uses.length).toBeGreaterThan(3);
    expect(uses.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    for (const [action, lines] of commitsOf) expect(lines, action).toHaveLength(1);
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

  it('deploy each stage by the name of its stack', () => {
    const called = [...deploy.matchAll(/^ {6}stage: (.+)$/gm)].map(([, stage]) => stage);
    const names = [...deployStage.matchAll(/PetStore-[\w$]+(?:\{process\.env\.STAGE\})?/g)];

    expect(called.sort()).toEqual(stages.map(({ name }) => name).sort());
    expect(names.map(([name]) => name)).toEqual([
      stackName('$STAGE'),
      stackName('$STAGE'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a script
      stackName('${process.env.STAGE}'),
    ]);
  });

  it('have the whole history where they deploy, which the release of a function needs', () => {
    expect(deployStage).toMatch(/^ {10}fetch-depth: 0$/m);
  });

  it('send requests to each operation while a stage is deployed, so that a canary has data', () => {
    expect(deployStage).toMatch(
      /import\('\.\/lib\/operations\.ts'\).*--request "\$method" "\$base_url\$path".*done &\n.*npx cdk deploy /s,
    );
  });

  it('add no pet to production when they try it', () => {
    expect(deployStage).toMatch(/SMOKE_OPTIONS: .+ == 'v1-production' && '--read-only' \|\| ''/);
    expect(deployStage).toMatch(/ smoke -- --base-url "\$base_url" \$SMOKE_OPTIONS$/m);
  });

  it('audit what is deployed', () => {
    expect(textOf('check.yml')).toMatch(/run: npm audit --omit=dev$/m);
  });

  it.each(workflows)(
    '$file grants no permissions by default, and stores no credentials',
    ({ text }) => {
      expect(text).toMatch(/^permissions: \{\}$/m);
      expect(text).not.toMatch(/secrets\.|aws-access-key-id|AWS_SECRET/);
      expect(text.match(/actions\/checkout@/g)?.length).toBe(
        text.match(/persist-credentials: false/g)?.length,
      );
    },
  );
});
