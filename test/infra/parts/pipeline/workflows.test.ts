import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsOf, stages } from '../../../../infra/stages.ts';

it('deploy.yml deploys each stage that has a githubRepository, and the durable ones last', () => {
  const deploy = readFileSync('.github/workflows/deploy.yml', 'utf8');
  const deployStage = readFileSync('.github/workflows/deploy-stage.yml', 'utf8');
  const jobs = [
    ...deploy.matchAll(/^ {2}([\w-]+):\n {4}needs: ([\w-]+)\n(?: {4}.*\n)* {6}stage: (\S+)$/gm),
  ].map(([, job = '', needs, stage = '']) => ({ job, needs, stage, ...settingsOf(stage) }));

  const deployed = jobs.map(({ stage }) => stage);
  const withPipeline = stages.filter((stage) => stage.githubRepository).map(({ name }) => name);
  expect(deployed, 'the jobs of deploy.yml').toEqual(expect.arrayContaining(withPipeline));
  // The pattern above finds every job.
  expect(new Set(deployed)).toEqual(new Set(deploy.match(/\bv1-[a-z\d-]+/g) ?? ['a stage']));
  const rehearsals = jobs.filter(({ isDurable }) => !isDurable).map(({ job }) => job);
  for (const { job, needs } of jobs.filter(({ isDurable }) => isDurable)) {
    expect(rehearsals, `${job} waits for a stage that is not durable`).toContain(needs);
  }
  expect(deployStage).toMatch(/^ {8}run: npm run deploy -- "\$STAGE"$/m);
});
