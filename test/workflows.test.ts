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

it.each(globSync('.github/workflows/*.yml'))('%s stores no credentials', (file) => {
  // zizmor names missing permissions, but it takes these for a choice.
  expect(readFileSync(file, 'utf8')).not.toMatch(
    /secrets\.|aws-access-key-id|AWS_SECRET|persist-credentials: true/,
  );
});
