import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stages } from '../infra/stages.ts';

const workflows = globSync('.github/workflows/*.yml').map((file) => ({
  file,
  text: readFileSync(file, 'utf8'),
}));

const textOf = (name: string) =>
  workflows.find(({ file }) => file.endsWith(`/${name}`))?.text ?? '';
const deploy = textOf('deploy.yml');
const deployStage = textOf('deploy-stage.yml');

describe('workflows', () => {
  it('pin each action to one commit with its version, and each Go module to a version', () => {
    const uses = workflows.flatMap(({ text }) => text.match(/uses: [^.].*/g) ?? []);
    const commitsOf = Map.groupBy(new Set(uses), (line) => line.split('@')[0]);

    expect(uses.length).toBeGreaterThan(3);
    expect(uses.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    for (const [action, lines] of commitsOf) expect(lines, action).toHaveLength(1);
    // A published version of a Go module never changes: the checksum database has its hash.
    for (const { text } of workflows) {
      expect(text.match(/go run (?!\S+@v\d+\.\d+\.\d+ ).*/g)).toBeNull();
    }
  });

  it('deploy each stage, production after staging', () => {
    const names = stages.map(({ name }) => name);
    const called = [...deploy.matchAll(/^ {6}stage: (\S+)$/gm)].map(([, name]) => name);

    expect(called.toSorted(), 'the jobs of deploy.yml').toEqual(names.toSorted());
    expect(names).toEqual(expect.arrayContaining(deploy.match(/\bv1-[a-z\d-]+/g) ?? []));
    expect(deploy).toMatch(/^ {2}production:\n {4}needs: staging$/m);
    expect(deployStage).toMatch(/^ {8}run: \.ci\/deploy$/m);
  });

  it('show the reviewers whether the update is safe', () => {
    const [difference = ''] = /^ {2}difference:\n(?:\n| {4}.*\n)+/m.exec(deploy) ?? [];

    expect(difference).toMatch(/npm run --silent check:update -- .* 2>&1/);
    expect(difference).toContain('"$GITHUB_STEP_SUMMARY"');
  });

  it('use only files that exist', () => {
    const texts = workflows.map(({ text }) => text).join();
    const files = [...texts.matchAll(/\.(?:ci|\/[\w./-]+(?=\.yml))\/?[\w./-]*/g)].map(
      ([file]) => file,
    );

    expect(files.length).toBeGreaterThan(2);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('audit all packages each week, and never before a deployment', () => {
    const audit = textOf('audit.yml');
    const auditing = workflows.filter(({ text }) => /npm audit|audit\.yml/.test(text));

    expect(audit).toMatch(/^ {2}pull_request:\n {2}schedule:\n/m);
    expect(audit).toMatch(/if: github\.event_name != 'pull_request'\n.+npm audit$/m);
    expect(auditing.map(({ text }) => text)).toEqual([audit]);
  });

  it('have an update by Dependabot for each lock file', () => {
    const dependabot = readFileSync('.github/dependabot.yml', 'utf8');
    const locks = globSync('{.,.ci}/{package-lock.json,requirements.txt}').map(dirname);

    expect(locks.length).toBeGreaterThan(1);
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
