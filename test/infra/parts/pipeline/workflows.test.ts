import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsOf, stages } from '../../../../infra/stages.ts';

it('the workflows deploy each stage, the durable one last', () => {
  const deploy = readFileSync('.github/workflows/deploy.yml', 'utf8');
  const deployStage = readFileSync('.github/workflows/deploy-stage.yml', 'utf8');
  const names = stages.map(({ name }) => name);
  const jobs = [
    ...deploy.matchAll(/^ {2}([\w-]+):\n {4}needs: ([\w-]+)\n(?: {4}.*\n)* {6}stage: (\S+)$/gm),
  ].map(([, job, needs, stage = '']) => ({ job, needs, stage }));

  expect(jobs.map(({ stage }) => stage).toSorted(), 'the jobs of deploy.yml').toEqual(
    names.toSorted(),
  );
  expect(names).toEqual(expect.arrayContaining(deploy.match(/\bv1-[a-z\d-]+/g) ?? []));
  const areDurable = jobs.map(({ stage }) => settingsOf(stage).isDurable);
  expect(areDurable, 'deploy.yml deploys the durable stage last').toEqual([false, true]);
  expect(jobs[1]?.needs, 'the durable stage waits for the other one').toBe(jobs[0]?.job);
  expect(deployStage).toMatch(/^ {8}run: npm run deploy -- "\$STAGE"$/m);
});
