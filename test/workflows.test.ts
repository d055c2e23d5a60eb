import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stages } from '../infra/stages.ts';

const deploy = readFileSync('.github/workflows/deploy.yml', 'utf8');
const deployStage = readFileSync('.github/workflows/deploy-stage.yml', 'utf8');

it('the workflows deploy each stage, production after staging', () => {
  const names = stages.map(({ name }) => name);
  const called = [...deploy.matchAll(/^ {6}stage: (\S+)$/gm)].map(([, name]) => name);

  expect(called.toSorted(), 'the jobs of deploy.yml').toEqual(names.toSorted());
  expect(names).toEqual(expect.arrayContaining(deploy.match(/\bv1-[a-z\d-]+/g) ?? []));
  expect(deploy).toMatch(/^ {2}production:\n {4}needs: staging$/m);
  expect(deployStage).toMatch(/^ {8}run: \.ci\/deploy$/m);
});

it('the workflow that deploys shows the reviewers whether the update is safe', () => {
  const [difference = ''] = /^ {2}difference:\n(?:\n| {4}.*\n)+/m.exec(deploy) ?? [];

  expect(difference).toMatch(/npm run --silent check:update -- .* 2>&1/);
  expect(difference).toContain('"$GITHUB_STEP_SUMMARY"');
});

it.each(globSync('.github/workflows/*.yml'))(
  '%s grants no permissions by default, and stores no credentials',
  (file) => {
    const text = readFileSync(file, 'utf8');

    expect(text).toMatch(/^permissions: \{\}$/m);
    expect(text).not.toMatch(/secrets\.|aws-access-key-id|AWS_SECRET|persist-credentials: true/);
  },
);
