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

it('the job that deploys runs the install scripts that package.json allows, and no others', () => {
  const workflow = readFileSync('.github/workflows/deploy-stage.yml', 'utf8');
  const { allowScripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);

  expect(workflow.match(/npm (ci|install|rebuild).*/g)).toEqual([
    'npm ci --ignore-scripts',
    `npm rebuild ${allowed.join(' ')}`,
  ]);
});
