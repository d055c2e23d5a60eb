import { expect, it } from 'vitest';
import { stackName } from '../../infra/core/stackNames.ts';
import { normalizeTemplate, unreviewedKeys } from '../../tools/templates.ts';
import { bareStage, durableName } from '../helpers/bareStage.ts';
import { production, synthesise, templateOf } from '../helpers/templates.ts';

const stage = bareStage(durableName);
const template = production.toJSON();
const synthesised = (...args: Parameters<typeof synthesise>) =>
  templateOf(synthesise(...args), stackName(durableName)).toJSON();

it('a release that only changes the code of functions changes no committed template', () => {
  const nextRelease = synthesised([stage], () => ({ folder: 'lib', release: 'def567812345' }));

  expect(nextRelease).not.toEqual(template);
  expect(normalizeTemplate(nextRelease)).toEqual(normalizeTemplate(template));
});

it('a committed template lacks paths, dashboards and what the CDK adds', () => {
  const context = { 'aws:cdk:enable-path-metadata': true };
  const withPaths = templateOf(
    synthesise([stage], undefined, context),
    stackName(durableName),
  ).toJSON();

  const keysOf = (json: unknown) =>
    unreviewedKeys.filter((key) => JSON.stringify(json).includes(`"${key}":`));
  expect(keysOf(withPaths)).toEqual(unreviewedKeys);
  expect(keysOf(normalizeTemplate(withPaths))).toEqual([]);
});

it('a template shows a setting that changes', () => {
  const resized = synthesised([{ ...stage, memoryMb: 2048 }]);
  const changed = JSON.stringify(normalizeTemplate(template)).replaceAll(
    `"MemorySize":${stage.memoryMb}`,
    '"MemorySize":2048',
  );

  expect(normalizeTemplate(resized)).toEqual(JSON.parse(changed));
});
