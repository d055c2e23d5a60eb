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
    const lines = deploy.split('\n').map((line, index) => ({ line, number: index + 1 }));
    const calls = lines.filter(({ line }) => /^ {6}stage: /.test(line));
    const names = stages.map(({ name }) => name);

    const missing = names
      .filter((name) => !calls.some(({ line }) => line.endsWith(` ${name}`)))
      .map((name) => `deploy.yml lacks ${name}: add a job like that of line ${calls[0]?.number}.`);
    const unknown = lines.flatMap(({ line, number }) =>
      (line.match(/\bv1-[a-z\d-]+/g) ?? [])
        .filter((name) => !names.includes(name))
        .map((name) => `deploy.yml:${number} names ${name}, which infra/stages.ts lacks.`),
    );

    expect(calls.length).toBeGreaterThan(0);
    expect([...missing, ...unknown]).toEqual([]);
    expect(deploy).toMatch(/^ {2}production:\n {4}needs: staging$/m);
    expect(deployStage).toMatch(/^ {8}run: \.ci\/deploy$/m);
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
