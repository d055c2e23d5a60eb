import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type MeasuredOperation, measuredOperations } from './events.ts';
import { installPeers } from './installPeers.ts';
import { checkAnswer, measureWarm } from './measureWarm.ts';
import { reportWarm, type WarmRun } from './reportWarm.ts';
import { buildWarm, type WarmVariant, warmBuildFolder, warmVariants } from './warmVariants.ts';

// Measures what an invocation of a running function costs beyond its calls of DynamoDB: the CPU time
// of a whole process, with answers that come at once. `npm run bench -- --write` puts the figures
// into docs/performance.md.

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});
const asked = options.only?.split(',');
const measured = warmVariants.filter(({ name }) => asked?.includes(name) ?? true);

installPeers();
rmSync(warmBuildFolder, { recursive: true, force: true });
const files = new Map<string, string>();
for (const operation of measuredOperations) {
  for (const variant of measured) {
    files.set(`${variant.name} ${operation}`, await buildWarm(variant, operation));
  }
}

const runs: WarmRun[] = [];
for (let round = 0; round < Number(options.rounds); round += 1) {
  for (const operation of measuredOperations) {
    // One after the other, each in a process of its own: what slows the machine slows them all.
    for (const variant of measured) runs.push(await measure(variant, operation, round));
  }
  process.stderr.write(`\rround ${round + 1} of ${options.rounds}`);
}
process.stderr.write('\n');
reportWarm(runs, { isWritten: options.write });

async function measure(
  { name, isCallsAlone }: WarmVariant,
  operation: MeasuredOperation,
  round: number,
): Promise<WarmRun> {
  const { cpuUs, answer } = await measureWarm(files.get(`${name} ${operation}`) ?? '', operation);
  if (!isCallsAlone) checkAnswer(operation, answer);
  return { variant: name, operation, round, cpuUs };
}
