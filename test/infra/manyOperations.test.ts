import { App, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { expect, it, vi } from 'vitest';
import { addStacks } from '../../infra/app.ts';
import { stages } from '../../infra/stages.ts';
import type { Operation, operations } from '../../lib/operations.ts';

const count = vi.hoisted(() => 20);

vi.mock(import('../../lib/operations.ts'), async (importOriginal) => {
  const original = await importOriginal();
  const rows: Record<string, Operation> = { ...original.operations };
  for (let n = original.operationEntries.length; n < count; n += 1) {
    rows[`getThing${n}`] = { ...original.operations.getPet, path: `/things${n}/{petId}` };
  }
  return {
    ...original,
    operations: rows as typeof operations,
    operationEntries: Object.entries(rows) as typeof original.operationEntries,
  };
});

// A synthesis of 20 operations takes seconds.
it('synthesizes 20 operations, with alarms of at most the 10 metrics that CloudWatch allows', {
  timeout: 120_000,
}, () => {
  const [production] = stages.map((stage) => ({
    ...stage,
    tableCeiling: { readUnits: 40_000, writeUnits: 40_000 },
  }));
  const app = new App({ builtinCloudFormationValidation: false, analyticsReporting: false });
  addStacks(app, production ? [production] : [], { bundleOf: () => 'functions', release: 'none' });
  const template = Template.fromStack(app.node.findChild('PetStore-v1-production') as Stack);

  template.resourceCountIs('AWS::CodeDeploy::DeploymentGroup', count);
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  for (const { Properties } of alarms) {
    const metrics = (Properties.Metrics ?? []) as { MetricStat?: object }[];
    expect(metrics.filter(({ MetricStat }) => MetricStat).length).toBeLessThanOrEqual(10);
  }
});
