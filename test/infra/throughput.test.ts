import { expect, it } from 'vitest';
import { throughputText } from '../../infra/throughput.ts';
import { bareStage, durableName } from '../helpers/bareStage.ts';

it('the rates of a stage follow from its settings', () => {
  const stage = bareStage(durableName);

  // A create of the largest pet takes 2 units and its share of a lease. A list of 20 takes 10.5.
  expect(throughputText(stage)).toBe(`${durableName}, requests a second:
  firewall       100 of one address, 75 of one API key
  throttle       150 of each operation
  table ceiling  952 creates; 761 lists of 20, 172 of 100`);
  expect(throughputText({ ...stage, firewall: undefined })).toContain('  firewall       none\n');
});
