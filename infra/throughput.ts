import { PetStatus } from '../lib/schemas.ts';
import { readUnitsOfPage, writeUnitsOfItem } from './peakTableUnits.ts';
import type { Stage } from './stageSchema.ts';

/** Returns the rates that the settings of a stage allow, by the names of docs/capacity.md. */
export function throughputText({ name, ...stage }: Stage): string {
  const { firewall, operationThrottle, tableCeiling, idsPerLease } = stage;
  const perSecond = (requestsPerMinute: number) => Math.floor(requestsPerMinute / 60);
  const unitsOfCreate = writeUnitsOfItem + 1 / idsPerLease;
  const lists = (pets: number) =>
    Math.floor(tableCeiling.readUnits / (PetStatus.options.length * readUnitsOfPage(pets)));
  const limits = {
    firewall: firewall
      ? `${perSecond(firewall.requestsPerMinuteAndAddress)} of one address, ${perSecond(firewall.requestsPerMinuteAndApiKey)} of one API key`
      : 'none',
    throttle: `${operationThrottle.requestsPerSecond} of each operation`,
    'table ceiling': `${Math.floor(tableCeiling.writeUnits / unitsOfCreate)} creates; ${lists(20)} lists of 20, ${lists(100)} of 100`,
  };
  const rows = Object.entries(limits).map(([limit, rate]) => `  ${limit.padEnd(13)}  ${rate}`);
  return [`${name}, requests a second:`, ...rows].join('\n');
}
