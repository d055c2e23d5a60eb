import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
  it('pin each action to one commit and name its version', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/uses: [^.].*/g) ?? []);
    const commitsOf = Map.groupBy(new Set(uses), (line) => line.split('@')[0]);

    expect(uses.length).toBeGreaterThan(3);
    expect(uses.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    for (const [action, lines] of commitsOf) expect(lines, action).toHaveLength(1);
  });

  it('deploy each stage by the name of its stack, production after staging', () => {
    const called = [...deploy.matchAll(/^ {6}stage: (.+)$/gm)].map(([, stage]) => stage);
    const names = [...deployStage.matchAll(/PetStore-[\w$]+(?:\{process\.env\.STAGE\})?/g)];

    expect(called.sort()).toEqual(stages.map(({ name }) => name).sort());
    expect(names.map(([name]) => name)).toEqual([
      stackName('$STAGE'),
      stackName('$STAGE'),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a script
      stackName('${process.env.STAGE}'),
    ]);
    expect(deploy).toMatch(/^ {2}production:\n {4}needs: staging$/m);
  });

  it('add no pet to a durable stage when they try it', () => {
    const [, stage] =
      /SMOKE_OPTIONS: .+ == '([\w-]+)' && '--read-only' \|\| ''/.exec(deployStage) ?? [];

    expect([stage]).toEqual(stages.filter((each) => each.isDurable).map(({ name }) => name));
    expect(deployStage).toMatch(/ smoke -- --base-url "\$base_url" \$SMOKE_OPTIONS$/m);
  });

  it('use only files and npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    const texts = workflows.map(({ text }) => text).join();
    const files = [...texts.matchAll(/\.\/([\w./-]+\.(?:ts|yml))\b/g)].map(([, file = '']) => file);
    const runs = [...texts.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(
      ([, name = '']) => name,
    );

    expect([files.length > 0, runs.length > 0]).toEqual([true, true]);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    expect(runs.filter((name) => !scripts[name])).toEqual([]);
  });

  it('audit all packages each week, and never before a deployment', () => {
    const audit = textOf('audit.yml');

    expect(audit).toMatch(/^ {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \d'$/m);
    expect(audit).toMatch(/run: npm audit --omit=dev$/m);
    expect(audit).toMatch(/if: github\.event_name != 'pull_request'\n.+npm audit --prefix /);
    const others = workflows.filter(({ text }) => text !== audit);
    expect(others.filter(({ text }) => /npm audit|audit\.yml/.test(text))).toEqual([]);
  });

  it('have an update by Dependabot for each lock file', () => {
    const dependabot = readFileSync('.github/dependabot.yml', 'utf8');
    const locks = globSync('{.,.ci,test/*}/{package-lock.json,requirements.txt}').map(dirname);

    expect(locks.length).toBeGreaterThan(2);
    for (const folder of locks) {
      expect(dependabot).toMatch(new RegExp(`director.+[ []${join('/', folder)}[\\],\n]`));
    }
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
