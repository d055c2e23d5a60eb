import { expect, it } from 'vitest';
import { fullProduction } from '../helpers/fullStacks.ts';
import { resourcesOf } from '../helpers/templates.ts';
import { emulatorGaps } from './emulatorGaps.ts';

it.each(emulatorGaps)('%s, which MiniStack lacks, is in the stack', (gap) => {
  const [type = '', property] = gap.split(' with ');

  const resources = resourcesOf(fullProduction, type).filter(
    ([, { Properties }]) => property === undefined || property in Properties,
  );
  expect(resources, 'remove it from emulatorGaps').not.toEqual([]);
});
