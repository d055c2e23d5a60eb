import { isDeepStrictEqual } from 'node:util';
import type { Template } from 'aws-cdk-lib/assertions';
import { expect, it } from 'vitest';
import { stackName } from '../../../infra/core/stackNames.ts';
import { CoreSettings, type Stage } from '../../../infra/stageSchema.ts';
import { operationEntries } from '../../../lib/operations.ts';
import { bareStage, durableName } from '../../helpers/bareStage.ts';
import { fullProductionStage } from '../../helpers/fullStacks.ts';
import {
  production,
  resourcesOf,
  shortId,
  synthesise,
  templateOf,
} from '../../helpers/templates.ts';

const account = '111122223333';
const region = 'eu-west-1';

const bare = bareStage(durableName);

/** Another value of each setting that functions see. */
const seen = { corsOrigins: ['https://app.example.com'], idsPerLease: 7, memoryMb: 1024 };

/** Another value of other settings. Another name would be another stack. */
const unseen: Stage = {
  ...fullProductionStage,
  corsOrigins: undefined,
  account: { id: account },
  isDurable: false,
  logRetentionDays: 30,
  accessLogRetentionDays: 30,
  operationThrottle: { requestsPerSecond: 120, burstRequests: 400 },
  tableCeiling: { readUnits: 8000, writeUnits: 2000 },
};

/** Returns each version's id and what Lambda sees of its function: not the bucket of its code. */
function versionsOf(template: Template): [id: string, lambdaSees: string][] {
  const functions = new Map(
    resourcesOf(template, 'AWS::Lambda::Function').map(([id, { Properties }]) => [
      shortId(id),
      Properties,
    ]),
  );
  return resourcesOf(template, 'AWS::Lambda::Version').map(([id]) => {
    const { Code, Tags, ...properties } =
      functions.get(shortId(id).replace(/CurrentVersion$/, '')) ?? {};
    const lambdaSees = JSON.stringify({ S3Key: Code.S3Key, ...properties })
      .replaceAll('<AWS::AccountId>', account)
      .replaceAll('<AWS::Region>', region);
    return [id, lambdaSees];
  });
}

const before = versionsOf(production);

const cases: [what: string, changed: Stage][] = [
  ['that functions see', { ...bare, ...seen }],
  ['that no function sees', unseen],
  ['of parts, which are left out', { ...CoreSettings.parse(bare), isDurable: false }],
  ['of the account', { ...bare, account: { id: account } }],
  ['of the account and the Region', { ...bare, account: { id: account, region } }],
];

it('the cases change every setting apart from the name', () => {
  const isUnchanged = (setting: keyof Stage) =>
    cases.every(([, changed]) => isDeepStrictEqual(changed[setting], bare[setting]));

  const settings = Object.keys(fullProductionStage) as (keyof Stage)[];
  expect(settings.filter(isUnchanged)).toEqual(['name']);
});

it.each(cases)(
  'changed settings %s publish a version of each function that changes for Lambda, and of no other',
  (_, changed) => {
    const app = synthesise([changed]);

    const versions = versionsOf(templateOf(app, stackName(durableName)));

    expect(versions).toHaveLength(before.length);
    for (const [index, [id, lambdaSees]] of versions.entries()) {
      const [idBefore, lambdaSawBefore] = before[index] ?? [];
      expect(id === idBefore).toBe(lambdaSees === lambdaSawBefore);
    }
  },
);

it('a release publishes a version of each function whose bundle has changed, and of no other', () => {
  const changed = operationEntries.at(-1)?.[0];
  const app = synthesise([bare], (name) => ({
    folder: name === changed ? 'lib' : 'functions',
    release: name === changed ? 'abcdef123456' : '<release>',
  }));

  const ids = versionsOf(templateOf(app, stackName(durableName))).map(([id]) => id);
  const fresh = ids.filter((id) => !before.some(([old]) => old === id));
  expect(fresh.map(shortId)).toEqual([`${changed}FunctionCurrentVersion`]);
});
